"""ray.train.torch."""

from typing import Any

from recorder import sink


class TorchTrainer:
    @sink("ray.train.torch.TorchTrainer")
    def __init__(
        self,
        train_loop_per_worker: Any,
        *,
        train_loop_config: Any = None,
        scaling_config: Any = None,
        run_config: Any = None,
        datasets: Any = None,
        **kwargs: Any,
    ) -> None:
        self.loop, self.config = train_loop_per_worker, train_loop_config

    def fit(self) -> Any:
        return self.loop(self.config) if self.config is not None else self.loop()


def prepare_model(model: Any, *args: Any, **kwargs: Any) -> Any:
    return model


def prepare_data_loader(loader: Any, *args: Any, **kwargs: Any) -> Any:
    return loader
