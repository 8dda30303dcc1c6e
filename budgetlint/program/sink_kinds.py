"""Which calls decide memory, by qualified name, and what their positional arguments are called.

Sources: transformers 4.40 to 5.2 ``modeling_utils.py``, ``training_args.py``, ``trainer.py``; trl 0.9 to 0.26 ``trainer/``; peft 0.10 to
0.18 ``mapping_func.py``, ``peft_model.py``, ``utils/other.py``; bitsandbytes 0.45 ``optim/``; accelerate 1.x ``accelerator.py``; deepspeed
0.16 to 0.19
``__init__.py``; torch 2.4 to 2.9; unsloth 2024.8 to 2026.1 ``models/loader.py``; ray 2.9 to 2.52 ``air/config.py``.
"""

from __future__ import annotations

_NO_MODELS = ("Tokenizer", "TokenizerFast", "Processor", "ImageProcessor", "ImageProcessorFast", "FeatureExtractor", "Config", "Scheduler")
_OPTIMIZERS = frozenset({
    "AdamW", "Adam", "SGD", "AdamW8bit", "AdamW32bit", "PagedAdamW8bit", "PagedAdamW32bit", "PagedAdamW", "Adam8bit", "Adafactor", "Lion",
    "Lion8bit", "PagedLion8bit",
    "Muon", "Adam_mini", "FusedAdam", "DeepSpeedCPUAdam", "GaLoreAdamW", "GaLoreAdamW8bit", "Adagrad", "RMSprop", "LAMB", "AdEMAMix",
    "Adamax", "NAdam", "RAdam",
    "SophiaG", "AdamW4bit", "AdamWFp8", "AdaLomo", "Lomo", "Prodigy", "Shampoo", "Optimizer",
})  # fmt: skip
OPTIMIZER_PACKAGES = frozenset({
    "torch", "bitsandbytes", "transformers", "deepspeed", "apex", "adam_mini", "galore_torch", "torchao", "lomo_optim", "muon",
    "lion_pytorch", "prodigyopt",
    "pytorch_optimizer", "timm", "schedulefree", "sophia",
})  # fmt: skip
_QUANTISATION = frozenset({
    "BitsAndBytesConfig", "GPTQConfig", "AwqConfig", "HqqConfig", "QuantoConfig", "TorchAoConfig", "FineGrainedFP8Config", "Mxfp4Config",
    "AqlmConfig", "EetqConfig",
})  # fmt: skip
_TRL_NO_ARGUMENTS = frozenset({"ModelConfig", "DatasetMixtureConfig", "VLLMClientConfig", "ScriptArguments"})
_BUILT = (
    "ForCausalLM", "LMHeadModel", "ForMaskedLM", "ForConditionalGeneration", "ForSequenceClassification", "ForTokenClassification",
    "ForImageClassification", "ForQuestionAnswering", "Model",
)  # fmt: skip
"""How transformers calls models that are made of a configuration; ``PreTrainedModel`` is none."""
_NO_MODEL_CONFIGS = frozenset({"GenerationConfig", "HfDeepSpeedConfig", "HfTrainerDeepSpeedConfig", "WatermarkingConfig", "CompileConfig"})
_BY_NAME = {
    "deepspeed.initialize": "deepspeed",
    "ray.train.ScalingConfig": "scaling",
    "ray.air.ScalingConfig": "scaling",
    "ray.air.config.ScalingConfig": "scaling",
}
READY = {
    "timm.create_model": "timm",
    "timm.models.create_model": "timm",
    "whisper.load_model": "openai-whisper",
    "open_clip.create_model": "open-clip",
    "open_clip.create_model_and_transforms": "open-clip",
    "sentence_transformers.SentenceTransformer": "sentence-transformers",
}
"""Functions of packages that have models ready, whose code is none of transformers', and what such a model is called."""
_BY_LAST = {
    "prepare_model_for_kbit_training": "kbit", "prepare_model_for_int8_training": "kbit", "Accelerator": "accelerator",
    "FullyShardedDataParallel": "fsdp",
    "fully_shard": "fsdp", "DistributedDataParallel": "ddp", "DataParallel": "dp",
}  # fmt: skip
_OF_MODELS = {
    "gradient_checkpointing_enable": "checkpointing", "gradient_checkpointing_disable": "checkpointing", "half": "cast",
    "bfloat16": "cast", "float": "cast",
    "to": "cast", "requires_grad_": "freeze", "train": "mode", "eval": "mode", "backward": "backward", "merge_and_unload": "merge",
    "add_adapter": "adapter",
    "enable_input_require_grads": "mode", "cuda": "mode", "set_attention_backend": "attention", "resize_token_embeddings": "resize",
    "save_pretrained": "save",
}  # fmt: skip
SIGNATURES: dict[str, tuple[str, ...]] = {
    "load": ("pretrained_model_name_or_path",), "tokenizer": ("pretrained_model_name_or_path",),
    "config": ("pretrained_model_name_or_path",),
    "unsloth_load": ("model_name", "max_seq_length", "dtype", "load_in_4bit"),
    "adapter": ("model", "peft_config", "adapter_name"), "unsloth_adapter": ("model", "r"), "peft_load": ("model", "model_id"),
    "kbit": ("model", "use_gradient_checkpointing"),
    "arguments": ("output_dir",), "trainer": ("model", "args", "data_collator", "train_dataset", "eval_dataset"), "optimizer": ("params",
    "lr"),
    "dataloader": ("dataset", "batch_size", "shuffle"), "fsdp": ("module", "process_group", "sharding_strategy"),
    "ddp": ("module",), "dp": ("module",),
    "scaling": ("num_workers", "use_gpu"), "ready": ("name",),
    "deepspeed": ("args", "model", "optimizer", "model_parameters", "training_data", "lr_scheduler", "distributed_port", "mpu",
    "dist_init_required",
                  "collate_fn", "config"), "quantisation": ("load_in_8bit", "load_in_4bit"),
}  # fmt: skip

WATCHED: dict[str, tuple[str, ...]] = {"DataCollatorForCompletionOnlyLM": ("response_template", "instruction_template")}
"""Calls that decide no memory, and of which rules ask what they were given; what their positional arguments are called. trl 0.7 to 0.19
``trainer/utils.py``."""


def kind_of_call(name: str) -> str:
    """The kind of sink that a call of this qualified name is; empty for none."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name in READY:
        return "ready"
    owner_name, _, last = name.rpartition(".")
    package, owner = name.partition(".")[0], owner_name.rpartition(".")[2]
    if last in {"from_pretrained", "from_config"}:
        return _loaded(package, owner, last)
    if package == "transformers" and last[:1].isupper():
        built = "load" if is_built(last) else "config" if is_model_config(last) else ""
        if built:
            return built
    if last in _OF_CONFIGS and is_model_config(owner):
        return "config"
    if last == "get_peft_model":
        return "unsloth_adapter" if owner.startswith("Fast") else "adapter"
    if last in _BY_LAST:
        return _BY_LAST[last]
    if last in _QUANTISATION:
        return "quantisation"
    if package == "peft" and last.startswith("PeftModel"):
        return "adapter"
    if package == "peft" and last.endswith("Config") and last != "PeftConfig":
        return "adapter_config"
    if is_arguments(name):
        return "arguments"
    if last.endswith("Trainer") and package in {"transformers", "trl", "unsloth", "optimum", "sentence_transformers"}:
        return "trainer"
    if last == "Trainer" and package in {"lightning", "pytorch_lightning", "composer"}:
        return "foreign_trainer"
    if last in _OPTIMIZERS and package in OPTIMIZER_PACKAGES:
        return "optimizer"
    return "dataloader" if last == "DataLoader" and package == "torch" else ""


_OF_CONFIGS = frozenset({"from_json_file", "from_dict"})


def is_built(name: str) -> bool:
    """A class of transformers that makes a model of a configuration: ``GPT2LMHeadModel(config)``."""
    return name.endswith(_BUILT) and not name.startswith(("Auto", "TF", "Flax")) and not name.endswith("PreTrainedModel")


def is_model_config(name: str) -> bool:
    """``GPT2Config``: the configuration of a model."""
    return name.endswith("Config") and name not in _QUANTISATION and name not in _NO_MODEL_CONFIGS and not name.startswith(("Auto", "Peft"))


def _loaded(package: str, owner: str, last: str) -> str:
    if owner.startswith(("PeftModel", "AutoPeft")):
        return "peft_load"
    if owner.endswith(("Tokenizer", "TokenizerFast", "Processor")):
        return "tokenizer"
    if owner.endswith(_NO_MODELS):
        return "config" if owner.endswith("Config") else ""
    if package == "unsloth":
        return "unsloth_load"
    return "load" if owner[:1].isupper() else ""


def kind_of_method(name: str) -> str:
    """The same of a method of a model or a part of one."""
    return _OF_MODELS.get(name, "")


def is_arguments(name: str) -> bool:
    """A class of training arguments: transformers', TRL's configs and what is built on them."""
    package, last = name.partition(".")[0], name.rpartition(".")[2]
    if package == "trl":
        return last.endswith("Config") and last not in _TRL_NO_ARGUMENTS
    return package in {"transformers", "unsloth", "optimum", "sentence_transformers"} and last.endswith("TrainingArguments")
