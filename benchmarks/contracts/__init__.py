"""Reads what the frameworks refuse from their own code, tries each row on the real class, and writes `budgetlint/contracts/data`."""
