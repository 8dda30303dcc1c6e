"""What keeps a checked repository from being run or left: where it begins, what Python may import, which programs, which paths."""
