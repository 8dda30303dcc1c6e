"""What everything stands on: records, exact bytes, texts and places in them, findings, bounds. Imports nothing of the rest."""
