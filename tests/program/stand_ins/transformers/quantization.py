"""Quantisation configs: sinks with the parameters of transformers 4.57.6 (src/transformers/utils/quantization_config.py)."""

from typing import Any

from recorder import sink


class BitsAndBytesConfig:
    __stand_in__ = True

    @sink("transformers.BitsAndBytesConfig")
    def __init__(
        self,
        load_in_8bit: bool = False,
        load_in_4bit: bool = False,
        llm_int8_threshold: float = 6.0,
        llm_int8_skip_modules: Any = None,
        llm_int8_enable_fp32_cpu_offload: bool = False,
        llm_int8_has_fp16_weight: bool = False,
        bnb_4bit_compute_dtype: Any = None,
        bnb_4bit_quant_type: str = "fp4",
        bnb_4bit_use_double_quant: bool = False,
        bnb_4bit_quant_storage: Any = None,
        **kwargs: Any,
    ) -> None:
        if load_in_4bit and load_in_8bit:
            raise ValueError("load_in_4bit and load_in_8bit are both True, but only one can be used at the same time")
        self.load_in_4bit, self.load_in_8bit = load_in_4bit, load_in_8bit


class GPTQConfig:
    @sink("transformers.GPTQConfig")
    def __init__(self, bits: int, tokenizer: Any = None, dataset: Any = None, group_size: int = 128, **kwargs: Any) -> None:
        self.bits = bits
