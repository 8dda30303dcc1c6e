import torch as th

_TABLE = {True: th.bfloat16, False: th.float32}


def pick(half):
    return _TABLE[bool(half)]
