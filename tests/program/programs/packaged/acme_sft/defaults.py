__all__ = ["BATCH", "model_of"]

BATCH = 4
LR = 1e-3


def model_of(size):
    return f"org/base-{size}"
