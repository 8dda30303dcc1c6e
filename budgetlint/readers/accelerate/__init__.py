"""accelerate's launch configs."""
