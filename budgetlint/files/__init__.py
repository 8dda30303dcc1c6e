"""Where texts come from: a disk, a revision of git, memory; which files are looked at."""
