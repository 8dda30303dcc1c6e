"""The budget language: text to tree to budget."""
