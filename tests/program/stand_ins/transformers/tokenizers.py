"""Tokenizers: three tokens, whatever the text; each call is a sink."""

from typing import Any

from recorder import sink
from torch import Tensor


class BatchEncoding(dict):
    """What a tokenizer gives."""

    def to(self, device: Any) -> "BatchEncoding":
        return self

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class PreTrainedTokenizerBase:
    __stand_in__ = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.pad_token, self.eos_token, self.bos_token, self.unk_token = None, "</s>", "<s>", "<unk>"
        self.pad_token_id, self.eos_token_id, self.bos_token_id, self.unk_token_id = None, 2, 1, 0
        self.padding_side, self.truncation_side, self.model_max_length, self.chat_template = "right", "right", 2048, None
        self.vocab_size, self.name_or_path = 32, ""

    @classmethod
    @sink("transformers.AutoTokenizer.from_pretrained")
    def from_pretrained(cls, pretrained_model_name_or_path: Any, *inputs: Any, **kwargs: Any) -> Any:
        made = cls()
        for name in ("model_max_length", "padding_side"):
            if name in kwargs:
                setattr(made, name, kwargs[name])
        return made

    @sink("transformers.PreTrainedTokenizerBase.__call__")
    def __call__(
        self,
        text: Any = None,
        text_pair: Any = None,
        text_target: Any = None,
        text_pair_target: Any = None,
        add_special_tokens: bool = True,
        padding: Any = False,
        truncation: Any = None,
        max_length: int | None = None,
        stride: int = 0,
        is_split_into_words: bool = False,
        pad_to_multiple_of: int | None = None,
        padding_side: Any = None,
        return_tensors: Any = None,
        **kwargs: Any,
    ) -> BatchEncoding:
        one: Any = Tensor(1, 3) if return_tensors else [1, 5, 2]
        several = isinstance(text, list | tuple) and not return_tensors
        value = [list(one) for _ in text] if several else one
        return BatchEncoding(input_ids=value, attention_mask=value)

    def encode(self, text: Any, **kwargs: Any) -> list[int]:
        return [1, 5, 2]

    def decode(self, *args: Any, **kwargs: Any) -> str:
        return "a text"

    def batch_decode(self, sequences: Any, **kwargs: Any) -> list[str]:
        return ["a text"]

    @sink("transformers.PreTrainedTokenizerBase.apply_chat_template")
    def apply_chat_template(self, conversation: Any, *, tokenize: bool = True, **kwargs: Any) -> Any:
        return [1, 5, 2] if tokenize else "a text"

    def pad(self, encoded: Any, **kwargs: Any) -> BatchEncoding:
        return BatchEncoding(input_ids=Tensor(1, 3), attention_mask=Tensor(1, 3))

    def add_special_tokens(self, special: Any, **kwargs: Any) -> int:
        for name in ("pad_token", "eos_token"):
            if name in special:
                setattr(self, name, special[name])
        return 1

    def add_tokens(self, tokens: Any, **kwargs: Any) -> int:
        return len(tokens)

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        return 3 if isinstance(tokens, str) else [3 for _ in tokens]

    def save_pretrained(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is written."""

    def __len__(self) -> int:
        return self.vocab_size


AutoTokenizer = LlamaTokenizer = LlamaTokenizerFast = PreTrainedTokenizer = PreTrainedTokenizerFast = PreTrainedTokenizerBase
AutoProcessor = AutoImageProcessor = AutoFeatureExtractor = PreTrainedTokenizerBase
__all__ = [
    "AutoFeatureExtractor",
    "AutoImageProcessor",
    "AutoProcessor",
    "AutoTokenizer",
    "BatchEncoding",
    "LlamaTokenizer",
    "LlamaTokenizerFast",
    "PreTrainedTokenizer",
    "PreTrainedTokenizerBase",
    "PreTrainedTokenizerFast",
]
