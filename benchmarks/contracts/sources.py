"""What is read of each framework: its classes, the functions that look at them, and how the real one is made.

A framework has one `Source`. ``contracts`` are what a config is held to: the classes whose fields are its keys, and the functions that
refuse, in the order in which a run meets them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

VALIDATORS = "validators of the model"


@dataclass(frozen=True)
class Walked:
    """A function that is walked.

    ``function`` is a method of the object ``on``, `VALIDATORS`, or ``package.module.name``; ``given`` says which of the contract's
    ``objects`` its parameters are, and ``parsed`` which ones a call in it returns; what else it is given is not known."""

    function: str
    given: Mapping[str, str] = field(default_factory=dict)
    on: str = "self"
    parsed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stage: str = "arguments"
    """When a run meets it: ``arguments``, ``trainer`` (after the model is loaded)."""
    code: str = ""
    """Statements that are walked among the names of the module ``function``: how a program calls what refuses. ``__main__`` for what
    the module itself does when it is run."""


@dataclass(frozen=True)
class Contract:
    """What a config of one kind is held to."""

    name: str
    """As users say it: ``SFTConfig``, ``axolotl``."""
    objects: Mapping[str, tuple[str, ...]]
    """Objects of fields by name: dotted classes. All share one set of names."""
    walks: tuple[Walked, ...]
    kind: str
    """How `driver` makes the real one."""
    made: str
    base: Mapping[str, Any] = field(default_factory=dict)
    """A config that the real class takes."""
    as_given: tuple[str, ...] = ()
    """Objects that are mappings of what was written."""
    no_fields: tuple[str, ...] = ()
    """Fields that no config gives: what the program finds out of the machine."""
    above: str = ""
    """The contract whose rows hold here too: ``transformers.TrainingArguments`` for ``SFTConfig``."""
    config: str = ""
    """A YAML of the package that has every key with its default, nested: the fields are dotted then."""
    parser: str = ""
    """A module whose ``add_argument`` calls give the fields."""
    makes: tuple[str, ...] = ()
    """Functions that make the object of a section of ``config``: its class checks what it is given."""
    asked: str = ""
    """A parameter of the class's constructor whose keys are the fields: those that the class asks of it."""
    lenient: bool = False
    """Does it take names that it does not know?"""
    signature: bool = False
    """Are its fields the parameters of the class's constructor?"""
    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Blocks of a config that is a tree, by their paths, with the classes that are made of them; () for a plain mapping."""
    typed: Mapping[str, str] = field(default_factory=dict)
    """Types of keys that the code asks of a mapping, where it says none."""
    without: tuple[str, ...] = ()
    """Blocks of ``config`` that are not read, wherever they stand."""

    @property
    def validated(self) -> bool:
        """Are its classes pydantic's?"""
        return any(one.function == VALIDATORS for one in self.walks)


@dataclass(frozen=True)
class Source:
    """One framework: the packages that are unpacked together, and its contracts."""

    package: str
    contracts: tuple[Contract, ...]
    distribution: str = ""
    """Its name on PyPI, where that is another."""
    own: tuple[str, ...] = ()
    """Folders of its code; the package's own name where empty. Rows of other folders are told by their own table."""
    prepare: str = ""
    """The script of `prepare` that is run before the classes are made; that of the package's name where empty."""


def _dataclass(name: str, dotted: str, above: str = "", **base: Any) -> Contract:
    return Contract(name, {"self": (dotted,)}, (Walked("__post_init__"),), "dataclass", dotted, base, above=above)


def _signed(name: str) -> Contract:
    """A quantization config: its fields are the parameters of its constructor."""
    dotted = f"transformers.utils.quantization_config.{name}"
    base = {"bits": 4} if name == "GPTQConfig" else {}
    return Contract(name, {"self": (dotted,)}, (Walked("__init__"),), "dataclass", dotted, base, signature=True)


_OUT = {"output_dir": "out"}

TRANSFORMERS = Source(
    "transformers",
    (
        _dataclass("TrainingArguments", "transformers.training_args.TrainingArguments", **_OUT),
        _dataclass(
            "Seq2SeqTrainingArguments",
            "transformers.training_args_seq2seq.Seq2SeqTrainingArguments",
            "transformers.TrainingArguments",
            **_OUT,
        ),
        *(_signed(name) for name in ("BitsAndBytesConfig", "GPTQConfig", "AwqConfig", "QuantoConfig")),
    ),
)

_TRL = ("SFTConfig", "DPOConfig", "GRPOConfig", "KTOConfig", "RewardConfig", "RLOOConfig")


def _trl(name: str) -> Contract:
    stem = {
        "SFTConfig": "sft",
        "DPOConfig": "dpo",
        "GRPOConfig": "grpo",
        "KTOConfig": "kto",
        "RewardConfig": "reward",
        "RLOOConfig": "rloo",
    }[name]
    dotted = f"trl.trainer.{stem}_config.{name}"
    return Contract(
        name, {"self": (dotted,)}, (Walked("__post_init__"),), "dataclass", dotted, _OUT, above="transformers.TrainingArguments"
    )


TRL = Source(
    "trl", (*tuple(_trl(name) for name in _TRL), _dataclass("ModelConfig", "trl.trainer.model_config.ModelConfig")), prepare="transformers"
)

_HPARAMS = {
    "model_args": "model_args.ModelArguments",
    "data_args": "data_args.DataArguments",
    "training_args": "training_args.TrainingArguments",
    "finetuning_args": "finetuning_args.FinetuningArguments",
    "generating_args": "generating_args.GeneratingArguments",
}
"""In the order in which ``HfArgumentParser`` makes them."""
_BEFORE = {"training_args": ("transformers.training_args_seq2seq.Seq2SeqTrainingArguments",)}
"""What stood there before LLaMA-Factory had a class of its own."""

LLAMAFACTORY = Source(
    "llamafactory",
    (
        Contract(
            "LLaMA-Factory",
            {name: (f"llamafactory.hparams.{one}", *_BEFORE.get(name, ())) for name, one in _HPARAMS.items()},
            (
                *(Walked("__post_init__", on=name) for name in _HPARAMS),
                Walked("llamafactory.hparams.parser.get_train_args", parsed={"_parse_train_args": tuple(_HPARAMS)}),
            ),
            "function",
            "llamafactory.hparams.get_train_args",
            {
                "stage": "sft",
                "do_train": True,
                "model_name_or_path": "model",
                "dataset": "data",
                "template": "default",
                "finetuning_type": "lora",
                "output_dir": "out",
                "report_to": "none",
            },
            above="transformers.TrainingArguments",
        ),
    ),
)

_ADAPTERS = {
    "LoraConfig": "lora",
    "AdaLoraConfig": "adalora",
    "LoHaConfig": "loha",
    "LoKrConfig": "lokr",
    "IA3Config": "ia3",
    "OFTConfig": "oft",
    "VeraConfig": "vera",
    "PrefixTuningConfig": "prefix_tuning",
    "PromptTuningConfig": "prompt_tuning",
}

PEFT = Source(
    "peft",
    tuple(
        _dataclass(name, f"peft.tuners.{folder}.config.{name}", **({"total_step": 100} if name == "AdaLoraConfig" else {}))
        for name, folder in _ADAPTERS.items()
    ),
)

AXOLOTL = Source(
    "axolotl",
    (
        Contract(
            "axolotl",
            {"self": ("axolotl.utils.schemas.config.AxolotlConfigWCapabilities",)},
            (Walked(VALIDATORS),),
            "axolotl",
            "axolotl.utils.schemas.config.AxolotlConfigWCapabilities",
            {
                "base_model": "model",
                "datasets": [{"path": "data", "type": "alpaca"}],
                "micro_batch_size": 1,
                "gradient_accumulation_steps": 1,
                "learning_rate": 0.0001,
            },
            no_fields=("capabilities", "env_capabilities"),
        ),
    ),
)

_SWIFT = {"model": "model", "model_type": "qwen2", "template": "qwen2_5", "dataset": ["data"], "output_dir": "out", "add_version": False}


def _swift(name: str, classes: tuple[str, ...], **base: Any) -> Contract:
    return Contract(
        name,
        {"self": classes},
        (Walked("__post_init__"),),
        "swift",
        classes[0].rpartition(".")[2],
        {**_SWIFT, **base},
        above="transformers.TrainingArguments",
    )


SWIFT = Source(
    "ms-swift",
    (
        _swift("swift sft", ("swift.arguments.sft_args.SftArguments", "swift.llm.argument.train_args.TrainArguments")),
        _swift(
            "swift rlhf",
            ("swift.arguments.rlhf_args.RLHFArguments", "swift.llm.argument.rlhf_args.RLHFArguments"),
            reward_funcs=["format"],
            num_generations=2,
            per_device_train_batch_size=2,
        ),
    ),
    own=("swift",),
    prepare="swift",
)

SOURCES: Mapping[str, Source] = {one.package: one for one in (TRANSFORMERS, TRL, PEFT, LLAMAFACTORY, AXOLOTL, SWIFT)}
