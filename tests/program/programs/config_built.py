from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    Trainer,
    TrainingArguments,
)

config = AutoConfig.from_pretrained("org/base", trust_remote_code=True)
config.num_hidden_layers = 4
config.use_cache = False
scratch = AutoModelForCausalLM.from_config(config, torch_dtype="bfloat16")
own = LlamaForCausalLM(LlamaConfig(hidden_size=64, num_hidden_layers=2, vocab_size=128))
sizes = {"n_layer": 3, "n_embd": 64}
small = GPT2Config(**sizes, vocab_size=len(sizes))
small.n_layer = 2
tiny = GPT2LMHeadModel(config=small)
layers = config.num_hidden_layers if config.model_type == "llama" else 1
own.model.layers = own.model.layers[:1]
Trainer(model=scratch, args=TrainingArguments("out", per_device_train_batch_size=layers)).train()
Trainer(model=own, args=TrainingArguments("out", per_device_train_batch_size=len(own.model.layers))).train()
Trainer(model=tiny, args=TrainingArguments("out", per_device_train_batch_size=small.n_layer)).train()
