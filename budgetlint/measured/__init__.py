"""What was measured beside what is estimated: which line is about which run, how far they are apart, and what it narrows."""
