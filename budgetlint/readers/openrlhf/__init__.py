"""OpenRLHF: command-line flags, old and dotted."""
