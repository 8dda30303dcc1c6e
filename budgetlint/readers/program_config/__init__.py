"""Configs that a program of the project reads: they say nothing by themselves, the program says what they mean."""
