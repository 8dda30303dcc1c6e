"""XTuner: configs in Python (mmengine), and the flags of ``xtuner train``."""
