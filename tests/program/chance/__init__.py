"""Small training programs, made by chance: each is valid Python, runs, and ends in calls that decide memory.

`program.program` draws from a ``random.Random``. What is drawn is typed (numbers, texts, lists, dicts, objects), so that hardly any program
stops in an error of its own. Conditions of which nobody knows the outcome stand among those that are known.
"""
