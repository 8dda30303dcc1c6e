"""Trainers, collators, callbacks, schedules; ``train`` takes one row through the collator."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from recorder import Anything, keep, sink, write
from torch import Tensor
from torch.optim import optimizer
from torch.optim.lr_scheduler import LRScheduler


class TrainerCallback:
    """Never called."""


class EarlyStoppingCallback(TrainerCallback):
    def __init__(self, early_stopping_patience: int = 1, early_stopping_threshold: float | None = 0.0) -> None:
        self.patience = early_stopping_patience


class Trainer:
    """Made is a sink, whatever of its subclasses; the subclass of the program takes what it takes."""

    __stand_in__ = True
    _name = "transformers.Trainer"

    def __init__(
        self,
        model: Any = None,
        args: Any = None,
        data_collator: Any = None,
        train_dataset: Any = None,
        eval_dataset: Any = None,
        processing_class: Any = None,
        model_init: Any = None,
        compute_loss_func: Any = None,
        compute_metrics: Any = None,
        callbacks: Any = None,
        optimizers: Any = (None, None),
        optimizer_cls_and_kwargs: Any = None,
        preprocess_logits_for_metrics: Any = None,
        tokenizer: Any = None,
    ) -> None:
        self.begin(Trainer.__init__, **{key: value for key, value in locals().items() if key not in ("self", "__class__")})

    def begin(self, call: Any, **given: Any) -> None:
        """Writes what is not as the signature has it."""
        empty = (None, (None, None))
        number = write(self._name, {key: value for key, value in given.items() if value not in empty})
        keep(self, number)
        self.model, self.args = given.get("model"), given.get("args")
        if isinstance(self.model, str) or (self.model is None and given.get("model_init")):
            self.model = None if isinstance(self.model, str) else given["model_init"]()
        self.train_dataset, self.data_collator = given.get("train_dataset"), given.get("data_collator")
        self.state, self.accelerator = SimpleNamespace(global_step=0, log_history=[]), Anything()
        self.callback_handler = Anything()
        self.tokenizer = self.processing_class = given.get("processing_class") or given.get("tokenizer")

    @sink("transformers.Trainer.train")
    def train(self, resume_from_checkpoint: Any = None, **kwargs: Any) -> Any:
        try:
            row = self.train_dataset[0]
        except (TypeError, KeyError, NotImplementedError):
            row = None
        if row is not None and self.data_collator is not None:
            self.data_collator([row, row])
        return SimpleNamespace(metrics={"train_runtime": 1.0}, training_loss=0.5, global_step=1)

    def evaluate(self, *args: Any, **kwargs: Any) -> dict[str, float]:
        return {"eval_loss": 0.5}

    def predict(self, *args: Any, **kwargs: Any) -> Any:
        return Anything()

    def _nothing(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is kept."""

    save_model = save_state = log_metrics = save_metrics = add_callback = push_to_hub = create_model_card = remove_callback = _nothing

    def is_world_process_zero(self) -> bool:
        return True

    def get_train_dataloader(self) -> Any:
        return Anything()

    def create_optimizer(self) -> Any:
        return Anything()


class Seq2SeqTrainer(Trainer):
    __stand_in__ = True
    _name = "transformers.Seq2SeqTrainer"


class DataCollator:
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Pads nothing."""

    def __call__(self, rows: Any) -> dict[str, Any]:
        return {"input_ids": Tensor(1, 3), "labels": Tensor(1, 3)}


def _collator(name: str, first: tuple[str, ...]) -> type:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        keep(self, write(f"transformers.{name}", {**dict(zip(first, args, strict=False)), **kwargs}))

    return type(name, (DataCollator,), {"__init__": __init__, "__module__": "transformers.trainer"})


DataCollatorForLanguageModeling = _collator("DataCollatorForLanguageModeling", ("tokenizer", "mlm"))
DataCollatorForSeq2Seq = _collator("DataCollatorForSeq2Seq", ("tokenizer", "model"))
DataCollatorWithPadding = _collator("DataCollatorWithPadding", ("tokenizer", "padding"))


def default_data_collator(features: Any, return_tensors: str = "pt") -> dict[str, Any]:
    return DataCollator()(features)


Adafactor = optimizer("transformers.Adafactor")


def _schedule(*args: Any, **kwargs: Any) -> LRScheduler:
    return LRScheduler(None)


get_scheduler = get_linear_schedule_with_warmup = get_cosine_schedule_with_warmup = get_constant_schedule = _schedule


def set_seed(seed: int, deterministic: bool = False) -> None:
    """Nothing is drawn."""


logging = SimpleNamespace(
    set_verbosity_info=lambda: None,
    set_verbosity_error=lambda: None,
    set_verbosity=lambda level: None,
    get_logger=lambda name=None: Anything(),
    enable_explicit_format=lambda: None,
    enable_default_handler=lambda: None,
)
__all__ = [
    "Adafactor",
    "DataCollatorForLanguageModeling",
    "DataCollatorForSeq2Seq",
    "DataCollatorWithPadding",
    "EarlyStoppingCallback",
    "Seq2SeqTrainer",
    "Trainer",
    "TrainerCallback",
    "default_data_collator",
    "get_constant_schedule",
    "get_cosine_schedule_with_warmup",
    "get_linear_schedule_with_warmup",
    "get_scheduler",
    "logging",
    "set_seed",
]
