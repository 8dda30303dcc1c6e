"""What is known about devices, models, optimizers and framework versions: tables, each row with its source."""
