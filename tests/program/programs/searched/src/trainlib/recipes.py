from collections import namedtuple

Recipe = namedtuple("Recipe", ["model", "training"], defaults=[{"per_device_train_batch_size": 4}])
RECIPES = {
    "small": Recipe("org/base-1b"),
    "big": Recipe("org/base-70b", {"per_device_train_batch_size": 1, "bf16": True}),
}
RECIPES["long"] = RECIPES["big"]._replace(training={**RECIPES["big"].training, "gradient_checkpointing": True})
