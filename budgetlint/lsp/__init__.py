"""The editor door: a language server on standard input and output, over the standard library alone."""
