"""bitsandbytes.optim."""

from torch.optim import optimizer

_FIRST = ("lr", "betas", "eps", "weight_decay")
AdamW8bit = optimizer("bitsandbytes.optim.AdamW8bit", _FIRST)
Adam8bit = optimizer("bitsandbytes.optim.Adam8bit", _FIRST)
PagedAdamW8bit = optimizer("bitsandbytes.optim.PagedAdamW8bit", _FIRST)
PagedAdamW32bit = optimizer("bitsandbytes.optim.PagedAdamW32bit", _FIRST)
PagedAdamW = optimizer("bitsandbytes.optim.PagedAdamW", _FIRST)
Lion8bit = optimizer("bitsandbytes.optim.Lion8bit", ("lr", "betas", "weight_decay"))
