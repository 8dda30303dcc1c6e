from acme.settings import hyperparameters
from sagemaker.huggingface import HuggingFace

HuggingFace(
    entry_point="run_clm.py",
    instance_type="ml.p4d.24xlarge",
    transformers_version="4.49",
    hyperparameters=hyperparameters("llama-1b"),
    distribution={"torch_distributed": {"enabled": True}},
).fit()
