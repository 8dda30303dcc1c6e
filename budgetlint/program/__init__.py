"""Training programs, followed and never run: what arrives at the calls that decide memory, and the way it took.

A config has no meaning of its own: it means what the program that reads it makes of it. `follow` takes a program from its entry point to
the calls that decide memory (`sinks`), with abstract values: known, one of several, given by nobody, or not to be followed, each with its
chain.
"""
