"""A company's package: no program under test may be followed into it, and each thing here does what a reader would not expect."""
