from transformers import AutoModelForCausalLM

from .. import NAME, model_of
from ..utils import dtypes


def load(size, half=True):
    assert NAME == "sft"
    return AutoModelForCausalLM.from_pretrained(model_of(size), torch_dtype=dtypes.pick(half))
