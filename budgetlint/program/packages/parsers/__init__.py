"""Parsers of command lines, as the programs use them: words and files in, objects out."""
