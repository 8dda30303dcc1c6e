"""bitsandbytes: its optimizers and its layer."""

from bitsandbytes import nn, optim
