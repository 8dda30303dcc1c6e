import ray.train
from ray.train import ScalingConfig
from ray.train.torch import TorchTrainer
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

WORKERS = 4


def train_func(config):
    batch = config["global_batch"] // config["workers"]
    args = TrainingArguments("out", per_device_train_batch_size=batch, learning_rate=config.get("lr", 1e-5), bf16=True)
    trainer = Trainer(model=AutoModelForCausalLM.from_pretrained(config["model"]), args=args)
    trainer.add_callback(ray.train.huggingface.transformers.RayTrainReportCallback())
    ray.train.huggingface.transformers.prepare_trainer(trainer).train()


if __name__ == "__main__":
    scaling = ScalingConfig(num_workers=WORKERS, use_gpu=True, resources_per_worker={"GPU": 1})
    loop = {"model": "org/base", "global_batch": 32, "workers": scaling.num_workers}
    TorchTrainer(train_func, train_loop_config=loop, scaling_config=scaling).fit()
