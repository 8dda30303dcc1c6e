"""The grammar of the budget language and its reference page, as package data."""
