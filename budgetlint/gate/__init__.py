"""The judge of a change is not the change's to choose: what a revision's budgets, settings and waivers make of today's files.

`budgets` puts the statements that judge back as they were, `settings` and `comments` do it for `[tool.budgetlint]` and for comments,
`classes` says of each statement and setting whether a change of it loosens, `eyes` brings it together.
"""
