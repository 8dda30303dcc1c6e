"""Settings of a company, read from elsewhere."""

BATCH_SIZE = 3
MODEL = "acme/base"


def load(name: str = "default") -> dict[str, object]:
    return {"model": MODEL, "batch_size": BATCH_SIZE, "lr": 3e-4}
