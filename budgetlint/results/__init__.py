"""What the commands answer with: records only."""
