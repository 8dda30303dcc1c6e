"""The budget backwards: the most that fits, the least that is needed, and the smallest changes that make a run fit."""
