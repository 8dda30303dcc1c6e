import os
import sys
from dataclasses import dataclass, field
from enum import Enum
from typing import List, Literal, Optional

from datasets import load_dataset
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig, HfArgumentParser, Trainer, TrainingArguments


class Attention(Enum):
    EAGER = "eager"
    FLASH = "flash_attention_2"


DTYPES = ["auto", "bfloat16", "float32"]


@dataclass
class ModelArguments:
    model_name_or_path: str = field(metadata={"help": "the base"})
    use_lora: bool = field(default=True)
    lora_r: int = 16
    lora_targets: Optional[List[str]] = field(default_factory=lambda: ["q_proj", "v_proj"])
    bits: Literal["4", "8", "16"] = "16"
    torch_dtype: Optional[str] = field(default=None, metadata={"help": "the base's", "choices": DTYPES})
    attention: Optional[Attention] = None


@dataclass
class DataArguments:
    dataset: str = "org/data"
    max_length: int = field(default=512, metadata={"aliases": ["--cutoff"]})
    packing: Optional[bool] = None


@dataclass
class OurTrainingArguments(TrainingArguments):
    optim: str = "adamw_bnb_8bit"
    per_device_train_batch_size: int = 2
    freeze: bool = False


def main():
    parser = HfArgumentParser((ModelArguments, DataArguments, OurTrainingArguments))
    if len(sys.argv) == 2 and sys.argv[1].endswith(".json"):
        model_args, data_args, training_args = parser.parse_json_file(json_file=os.path.abspath(sys.argv[1]))
    elif len(sys.argv) == 2 and sys.argv[1].endswith((".yaml", ".yml")):
        model_args, data_args, training_args = parser.parse_yaml_file(sys.argv[1])
    else:
        model_args, data_args, training_args = parser.parse_args_into_dataclasses()

    quant = None
    if model_args.bits in ("4", "8"):
        quant = BitsAndBytesConfig(load_in_4bit=model_args.bits == "4", load_in_8bit=model_args.bits == "8")
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path, model_max_length=data_args.max_length)
    model = AutoModelForCausalLM.from_pretrained(
        model_args.model_name_or_path, quantization_config=quant, torch_dtype=model_args.torch_dtype,
        attn_implementation=model_args.attention,
    )
    if quant is not None:
        model = prepare_model_for_kbit_training(model, use_gradient_checkpointing=training_args.gradient_checkpointing)
    if model_args.use_lora:
        model = get_peft_model(model, LoraConfig(r=model_args.lora_r, target_modules=model_args.lora_targets))

    def tokenize(row):
        return tokenizer(row["text"], max_length=data_args.max_length, truncation=True)

    data = load_dataset(data_args.dataset, split="train").map(tokenize)
    Trainer(model=model, args=training_args, train_dataset=data).train()


if __name__ == "__main__":
    main()
