"""OLMo-core: the flags of its SFT programs."""
