MICRO = 2
EPOCHS = 1
settings = {"accum": 4}


def epochs():
    return EPOCHS
