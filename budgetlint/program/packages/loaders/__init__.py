"""Config files as a program loads them: the loader is a property of the call that opens the file, never of the file."""
