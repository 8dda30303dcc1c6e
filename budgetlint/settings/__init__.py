"""The vocabulary of settings, and a run: settings with their origins."""
