"""The house's own trainer, ``acme-train fit train.yaml``: what budgetlint knows of it."""
