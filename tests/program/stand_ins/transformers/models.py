"""Models: two layers of a Llama, whatever is loaded; a program may freeze, replace and wrap their modules."""

from types import SimpleNamespace
from typing import Any

from recorder import bound, keep, sink, write
from torch import bfloat16
from torch.nn import Embedding, LayerNorm, Linear, Module, ModuleList, Parameter

from transformers.quantization import BitsAndBytesConfig, GPTQConfig

HIDDEN, VOCABULARY = 8, 32


class PretrainedConfig(SimpleNamespace):
    __stand_in__ = True
    model_type = "llama"

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, **kwargs: Any) -> Any:
        write("transformers.AutoConfig.from_pretrained", bound(cls.from_pretrained, (pretrained_model_name_or_path,), kwargs))
        config = PretrainedConfig(
            hidden_size=HIDDEN,
            num_hidden_layers=2,
            num_attention_heads=2,
            vocab_size=VOCABULARY,
            max_position_embeddings=64,
            use_cache=True,
            pad_token_id=None,
            eos_token_id=2,
            rope_scaling=None,
            tie_word_embeddings=False,
            architectures=["LlamaForCausalLM"],
            pretraining_tp=1,
        )
        for key, value in kwargs.items():
            setattr(config, key, value)
        return config

    def to_dict(self) -> dict[str, Any]:
        return vars(self)


class LlamaConfig(PretrainedConfig):
    def __init__(self, **kwargs: Any) -> None:
        number = write(f"transformers.{type(self).__name__}", kwargs)
        super().__init__(**kwargs)
        keep(self, number)


class GPT2Config(LlamaConfig):
    """Its arguments are recorded too."""


AutoConfig = PretrainedConfig


class Attention(Module):
    def __init__(self) -> None:
        super().__init__()
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            setattr(self, name, Linear(HIDDEN, HIDDEN, bias=False))


class MLP(Module):
    def __init__(self) -> None:
        super().__init__()
        for name in ("gate_proj", "up_proj", "down_proj"):
            setattr(self, name, Linear(HIDDEN, HIDDEN, bias=False))


class LlamaDecoderLayer(Module):
    def __init__(self) -> None:
        super().__init__()
        self.self_attn, self.mlp, self.input_layernorm = Attention(), MLP(), LayerNorm(HIDDEN)


class Backbone(Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed_tokens = Embedding(VOCABULARY, HIDDEN)
        self.layers = ModuleList([LlamaDecoderLayer(), LlamaDecoderLayer()])
        self.norm = LayerNorm(HIDDEN)


class Output(SimpleNamespace):
    def __getitem__(self, at: Any) -> Any:
        return self.loss


class PreTrainedModel(Module):
    def __init__(self, config: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        made = next((one.__name__ for one in type(self).__mro__ if one.__module__ == "transformers.models"), "PreTrainedModel")
        if config is not None and made != "PreTrainedModel":
            keep(self, write(f"transformers.{made}", {"config": config}))
        self.config = config or _quiet_config()
        self.generation_config = SimpleNamespace(pad_token_id=None, temperature=1.0)
        self.model, self.lm_head, self.dtype = Backbone(), Linear(HIDDEN, VOCABULARY, bias=False), bfloat16
        self.is_loaded_in_8bit = self.is_loaded_in_4bit = False
        self.name_or_path, self.device = "", "cuda:0"

    @classmethod
    @sink("{}.from_pretrained")
    def from_pretrained(cls, pretrained_model_name_or_path: Any, *model_args: Any, **kwargs: Any) -> Any:
        return (cls if cls.__module__ not in ("transformers.models",) else PreTrainedModel)()

    @classmethod
    @sink("{}.from_config")
    def from_config(cls, config: Any, **kwargs: Any) -> Any:
        return PreTrainedModel()

    @sink("transformers.PreTrainedModel.gradient_checkpointing_enable")
    def gradient_checkpointing_enable(self, gradient_checkpointing_kwargs: Any = None) -> None:
        """Recorded only."""

    @sink("transformers.PreTrainedModel.gradient_checkpointing_disable")
    def gradient_checkpointing_disable(self) -> None:
        """Recorded only."""

    @sink("transformers.PreTrainedModel.enable_input_require_grads")
    def enable_input_require_grads(self) -> None:
        """Nothing is computed."""

    def get_input_embeddings(self) -> Module:
        return self.model.embed_tokens

    def get_output_embeddings(self) -> Module:
        return self.lm_head

    @sink("transformers.PreTrainedModel.resize_token_embeddings")
    def resize_token_embeddings(self, new_num_tokens: Any = None, pad_to_multiple_of: Any = None, **kwargs: Any) -> Module:
        return self.model.embed_tokens

    def num_parameters(self, only_trainable: bool = False) -> int:
        return sum(parameter.numel() for parameter in self.parameters())

    def get_memory_footprint(self) -> int:
        return 1024

    def save_pretrained(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is written."""

    def push_to_hub(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is sent."""

    def generate(self, *args: Any, **kwargs: Any) -> Any:
        return Parameter()

    def tie_weights(self) -> None:
        """Nothing is tied."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return Output(loss=Parameter(), logits=Parameter())


def _quiet_config() -> Any:
    config = PretrainedConfig(
        hidden_size=HIDDEN, num_hidden_layers=2, vocab_size=VOCABULARY, use_cache=True, pad_token_id=None, pretraining_tp=1
    )
    config.num_attention_heads, config.max_position_embeddings, config.eos_token_id = 2, 64, 2
    return config


def _class(name: str) -> type:
    return type(name, (PreTrainedModel,), {"__stand_in__": True, "__module__": "transformers.models"})


_CLASSES = (
    *(
        "AutoModel",
        "AutoModelForCausalLM",
        "AutoModelForSeq2SeqLM",
        "AutoModelForSequenceClassification",
        "AutoModelForTokenClassification",
    ),
    *("AutoModelForVision2Seq", "AutoModelForImageTextToText", "AutoModelForMaskedLM", "LlamaForCausalLM", "MistralForCausalLM"),
    *("Qwen2ForCausalLM", "GPT2LMHeadModel", "T5ForConditionalGeneration", "Qwen2_5_VLForConditionalGeneration"),
    *("LlavaForConditionalGeneration", "WhisperForConditionalGeneration", "BertForSequenceClassification", "ViTForImageClassification"),
)
globals().update({name: _class(name) for name in _CLASSES})
__all__ = ["AutoConfig", "BitsAndBytesConfig", "GPT2Config", "GPTQConfig", "LlamaConfig", "PreTrainedModel", "PretrainedConfig", *_CLASSES]
