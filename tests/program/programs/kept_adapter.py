import torch
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig, Trainer, TrainingArguments

try:
    from transformers import set_verbosity_of_nobody
except ImportError:
    set_verbosity_of_nobody = None


class Loader:
    def __init__(self, name, bits=4, **more):
        self.name, self.bits, self.more = name, bits, more
        self.model = self._model()
        self.tokenizer = AutoTokenizer.from_pretrained(name)

    def _quant(self):
        return BitsAndBytesConfig(
            load_in_4bit=self.bits == 4,
            load_in_8bit=self.bits == 8,
            bnb_4bit_compute_dtype=torch.bfloat16 if self.bits == 4 else None,
            bnb_4bit_quant_type="nf4",
        )

    def _model(self):
        model = AutoModelForCausalLM.from_pretrained(self.name, quantization_config=self._quant(), **self.more)
        return prepare_model_for_kbit_training(model)

    def adapt(self, **kwargs):
        self.model = get_peft_model(self.model, LoraConfig(**{"r": 8, "task_type": "CAUSAL_LM", **kwargs}))
        return self


loader = Loader("org/base", device_map={"": 0}).adapt(r=64, lora_alpha=16)
Trainer(model=loader.model, args=TrainingArguments("out", per_device_train_batch_size=1), tokenizer=loader.tokenizer).train()
