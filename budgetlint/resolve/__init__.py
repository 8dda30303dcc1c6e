"""From files to runs: whose each file is, which belong together, under which budget, with which versions."""
