"""What a change costs: bills and findings before and after it."""
