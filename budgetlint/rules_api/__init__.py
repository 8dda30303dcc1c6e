"""What a rule is made of and what it is given. `budgetlint.rules_api.rule` is the door for authors."""
