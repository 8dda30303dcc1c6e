"""Rows of the optimizer table, a module for each library."""
