"""What frameworks refuse: their classes' fields and conditions by release, read from their own code and tried on the real classes."""
