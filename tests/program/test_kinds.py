"""Kinds of training programs, each as small as it can be: what a launch of it comes to, as settings.

A row is a program, the words it is started with, and what is expected: a value where it is known, `Either` where it is one of several,
`UNRESOLVED` where the program decides it and nobody can tell. What a row does not name is not asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from budgetlint.files.disk import TextFiles
from budgetlint.launch.read import script_launches
from budgetlint.readers import reader_by
from budgetlint.readers.base import complete
from budgetlint.resolve.followed import FollowedPrograms
from budgetlint.settings.run import Origin, OriginKind, Setting, Stack, release

UNRESOLVED = object()


class Either(NamedTuple):
    one: Any
    other: Any


class Kind(NamedTuple):
    name: str
    program: str
    words: str
    expected: Mapping[str, Any]
    beside: Mapping[str, str] = {}


TRAINER = """
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
{before}
model = AutoModelForCausalLM.from_pretrained("gpt2")
{between}
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2, optim="adamw_torch")
trainer = Trainer(model=model, args=args)
trainer.train()
"""
LOOP = """
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM
{before}
model = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.bfloat16)
{between}
loader = DataLoader(data, batch_size=6, shuffle=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
{after}
for batch in loader:
    loss = model(**batch).loss
    loss.backward()
    optimizer.step()
"""
OWN = """
import torch
from torch import nn
from torch.utils.data import DataLoader
{before}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

net = Net()
{between}
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in DataLoader(data, batch_size=32, shuffle=True):
    net(x).mean().backward()
    optimizer.step()
"""


def trainer(before: str = "", between: str = "") -> str:
    return TRAINER.format(before=before, between=between)


def loop(before: str = "", between: str = "", after: str = "") -> str:
    return LOOP.format(before=before, between=between, after=after)


def own(before: str = "", between: str = "") -> str:
    return OWN.format(before=before, between=between)


FROZEN_BY_THE_PATTERN_OF_A_NAME = """\
for name, p in model.named_parameters():
    if 'lm_head' not in name:
        p.requires_grad_(False)"""
CHECKPOINTING_BY_THE_MODEL_S_CONFIGURATION = """\
from transformers import AutoConfig
config = AutoConfig.from_pretrained('gpt2')
config.gradient_checkpointing = True"""
TARGETS_BY_A_CONDITION_THAT_NOBODY_DECIDES = """\
names = ['q_proj'] if model.config.model_type == 'llama' else ['c_attn']
model = get_peft_model(model, LoraConfig(r=4, target_modules=names))"""
A_QUANTISATION_BY_A_NAME_THAT_STANDS_ELSEWHERE = """\
import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments
quantised = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='nf4')
kwargs = {'quantization_config': quantised}
model = AutoModelForCausalLM.from_pretrained('gpt2', **kwargs)
Trainer(model=model, args=TrainingArguments(output_dir='o', per_device_train_batch_size=2)).train()
"""
A_TRAINER_OF_ONE_S_OWN = """\
class Mine(Trainer):
    def compute_loss(self, model, inputs, **rest):
        return model(**inputs).loss
    def create_optimizer(self):
        return make(self.model)
args = Tr"""
A_FUNCTION_THAT_MAKES_THE_MODEL = """\
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
def make():
    return AutoModelForCausalLM.from_pretrained('gpt2')
Trainer(model_init=make, args=TrainingArguments(output_dir='o', per_device_train_batch_size=2)).train()
"""
SEQ2SEQTRAINER_WITH_TWO_LENGTHS = """\
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, Seq2SeqTrainer, Seq2SeqTrainingArguments
import argparse
parser = argparse.ArgumentParser()
parser.add_argument('--max_source_len', type=int, default=320)
parser.add_argument('--max_target_len', type=int, default=128)
args = parser.parse_args()
tokenizer = AutoTokenizer.from_pretrained('t5-small')
def rows(batch):
    found = tokenizer(batch['a'], max_length=args.max_source_len, padding='max_length', truncation=True)
    found['labels'] = tokenizer(batch['b'], max_length=args.max_target_len, padding='max_length', truncation=True)['input_ids']
    return found
from datasets import load_dataset
data = load_dataset('x').map(rows)
model = AutoModelForSeq2SeqLM.from_pretrained('t5-small')
Seq2SeqTrainer(model=model, args=Seq2SeqTrainingArguments(output_dir='o', per_device_train_batch_size=2), train_dataset=data).train()
"""
A_LENGTH_THAT_ONLY_A_FIELD_IS_CALLED_SO = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument('--seq_length', type=int, default=512)
args = parser.parse_args()
data = pack(args.seq_length)
"""
A_MODULE_OF_THE_REPOSITORY_AROUND_A_MODEL = """\
from torch import nn
class Scorer(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.head = nn.Linear(8, 1)
    def forward(self, ids):
        return self.head(self.inner(ids).logits[..., :8])
"""
A_LOOP_WITH_ACCELERATE = """\
from accelerate import Accelerator
accelerator = Accelerator(mixed_precision='bf16', gradient_accumulation_steps=4)"""
ONE_OF_TWO_OPTIMIZERS = """\
if os.cpu_count() > 8:
    optimizer = AdamW8bit(model.parameters())
else:
    optimizer = torch.optim.AdamW(model.parameters())"""
DEEPSPEED_WITH_A_DICT = """\
import deepspeed
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained('gpt2')
engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config={'train_micro_batch_size_per_gpu': 3,
    'bf16': {'enabled': True}, 'optimizer': {'type': 'AdamW', 'params': {'lr': 1e-4}}, 'zero_optimization': {'stage': 2}})
for batch in data:
    engine.backward(engine(**batch).loss)
    engine.step()
"""
FUNCTIONS_THAT_PROCESSES_ARE_STARTED_WITH = """\
import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM
def work(rank, rows):
    model = AutoModelForCausalLM.from_pretrained('gpt2')
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for batch in DataLoader(data, batch_size=rows, shuffle=True):
        model(**batch).loss.backward()
        optimizer.step()
mp.spawn(work, args=(6,), nprocs=2)
"""
LIGHTNING = """\
import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM
class Module(pl.LightningModule):
    def __init__(self, rows):
        super().__init__()
        self.save_hyperparameters()
        self.model = AutoModelForCausalLM.from_pretrained('gpt2')
    def train_dataloader(self):
        return DataLoader(data, batch_size=self.hparams.rows, shuffle=True)
    def configure_optimizers(self):
        return torch.optim.AdamW(self.model.parameters(), lr=1e-4)
pl.Trainer(precision='bf16-mixed', accumulate_grad_batches=8).fit(Module(7))
"""
OWN_EVALUATION = """\
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
class Mine(Trainer):
    {method}
model = AutoModelForCausalLM.from_pretrained('gpt2')
Mine(model=model, args=TrainingArguments('out', per_device_train_batch_size=2), train_dataset=data).train()
"""
SETTINGS = """\
from pydantic import BaseModel
from pydantic_settings import BaseSettings, SettingsConfigDict
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
class Options({base}):
    rows: int = 8
    seed: int = 1
    {body}
options = Options()
model = AutoModelForCausalLM.from_pretrained('gpt2')
Trainer(model=model, args=TrainingArguments('out', per_device_train_batch_size=options.rows), train_dataset=data).train()
"""
PPO = """\
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl import PPOConfig, PPOTrainer, PPOv2Trainer
tokenizer = AutoTokenizer.from_pretrained('gpt2')
reward = AutoModelForSequenceClassification.from_pretrained('distilgpt2', num_labels=1)
value = AutoModelForSequenceClassification.from_pretrained('distilgpt2', num_labels=1)
policy, reference = AutoModelForCausalLM.from_pretrained('gpt2'), AutoModelForCausalLM.from_pretrained('gpt2')
args = PPOConfig(output_dir='out', per_device_train_batch_size=3)
{call}.train()
"""
PROBED = """\
import torch
from torch import nn
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM
{before}
def linear_probe(model, data):
    head = nn.Linear(768, 10)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    for batch in DataLoader(data, batch_size=256, shuffle=True):
        nn.functional.cross_entropy(head(model(**batch).logits), batch['labels']).backward()
        optimizer.step()
def evaluate(model, data):
    return linear_probe(model, data)
model = AutoModelForCausalLM.from_pretrained('gpt2')
{train}
evaluate(model, test)
"""
TRAINS = """
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for batch in DataLoader(data, batch_size=6, shuffle=True):
    model(**batch).loss.backward()
    optimizer.step()
"""

WRAPPED = """
from torch import nn
class Lora(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.down = nn.Linear(8, 2)

def parents(model):
    for parent in model.modules():
        for name, child in parent.named_children():
            yield parent, name, child
"""
WHOLE = {"adapter": "none", "quant": "none", "recompute": "none", "micro_batch": 2, "optimizer": "adamw", "weights_dtype": "fp32"}
KINDS = (
    Kind("a trainer alone: a closed way", trainer(), "", WHOLE),
    Kind(
        "a field of the model's configuration", trainer(between="model.config.pad_token_id = 0\nmodel.config.use_cache = False"), "", WHOLE
    ),
    Kind(
        "modules that are exchanged",
        trainer(
            between="for name, module in model.named_modules():\n    setattr(module, name, wrap(module))", before="from acme import wrap"
        ),
        "",
        {"adapter": UNRESOLVED, "quant": UNRESOLVED, "weights_dtype": UNRESOLVED, "micro_batch": 2},
    ),
    Kind(
        "the content of a weight",
        trainer("import torch", "model.get_input_embeddings().weight.data[-2:] = torch.zeros(2, 8)"),
        "",
        WHOLE,
    ),
    Kind(
        "layers that are wrapped one by one",
        trainer(WRAPPED, "for parent, name, child in parents(model):\n    parent._modules[name] = Lora(child)"),
        "",
        {"adapter": UNRESOLVED, "quant": UNRESOLVED, "micro_batch": 2},
    ),
    Kind(
        "layers that are wrapped by a name",
        trainer(WRAPPED, "for parent, name, child in parents(model):\n    setattr(parent, name, Lora(child))"),
        "",
        {"adapter": UNRESOLVED, "quant": UNRESOLVED, "micro_batch": 2},
    ),
    *(
        Kind(f"an evaluation of the script's own, {what}", OWN_EVALUATION.format(method=method), "", {"eval_batch": told, "micro_batch": 2})
        for what, method, told in (
            ("by its loader", "def get_eval_dataloader(self, data=None):\n        return DataLoader(data, batch_size=4)", UNRESOLVED),
            ("all through", "def evaluate(self, data=None, **more):\n        return {}", UNRESOLVED),
            (
                "beside the base's",
                "def evaluate(self, data=None, **more):\n        note()\n        return super().evaluate(data, **more)",
                8,
            ),
            ("none", "def log(self, logs):\n        pass", 8),
        )
    ),
    *(
        Kind(f"settings of pydantic, {what}", SETTINGS.format(base=base, body=body), words, {"micro_batch": told})
        for what, base, body, words, told in (
            ("their defaults", "BaseSettings", "", "", 8),
            ("from the command line", "BaseSettings, cli_parse_args=True", "", "--rows 2", UNRESOLVED),
            ("from the command line, another's word", "BaseSettings, cli_parse_args=True", "", "--seed 2", 8),
            ("words that they do not read", "BaseSettings", "", "--rows 2", 8),
            ("of a configuration", "BaseSettings", "model_config = SettingsConfigDict(cli_parse_args=True)", "--rows=2", UNRESOLVED),
            ("with a file", "BaseSettings", "model_config = SettingsConfigDict(env_file='.env')", "", UNRESOLVED),
            ("with a file, as of old", "BaseSettings", "class Config:\n        env_file = '.env'", "", UNRESOLVED),
            ("a plain model", "BaseModel", "model_config = dict(env_file='.env')", "--rows 2", 8),
        )
    ),
    *(
        Kind(
            f"settings of pydantic beside {name}=2",
            SETTINGS.format(base="BaseSettings", body="model_config = SettingsConfigDict(env_prefix='RUN_')"),
            "",
            {"micro_batch": told},
            {"run.sh": f"{name}=2 python train.py\n"},
        )
        for name, told in (("RUN_ROWS", UNRESOLVED), ("run_rows", UNRESOLVED), ("ROWS", 8))
    ),
    *(
        Kind(
            f"a trainer of PPO's kind, {what}",
            PPO.format(call=call),
            "",
            {"model": "gpt2", "micro_batch": 3, "task": task, "reward_model": UNRESOLVED},
        )
        for what, call, task in (
            ("by place", "PPOTrainer(args, tokenizer, policy, reference, reward, data, value)", "ppo"),
            ("as of old", "PPOv2Trainer(config=args, policy=policy, ref_policy=reference, reward_model=reward, value_model=value)", "ppo"),
        )
    ),
    Kind("a probe beside the training", PROBED.format(before="", train=TRAINS), "", {"optimizer": "adamw", "micro_batch": 6}),
    Kind("a probe is all that trains", PROBED.format(before="", train=""), "", {"optimizer": "sgd", "micro_batch": 256}),
    Kind(
        "a probe beside a training that is not followed",
        PROBED.format(
            before="import lightning as L\nfrom acme import Module", train="L.Trainer(precision='bf16-mixed').fit(Module(model))"
        ),
        "",
        {"optimizer": UNRESOLVED, "micro_batch": UNRESOLVED},
    ),
    Kind(
        "frozen by the pattern of a name",
        trainer(between=FROZEN_BY_THE_PATTERN_OF_A_NAME),
        "",
        {"adapter": UNRESOLVED, "quant": "none"},
    ),
    Kind("frozen parts", trainer(between="model.transformer.requires_grad_(False)"), "", {"adapter": UNRESOLVED}),
    Kind("cast to sixteen bits", trainer(between="model = model.half()"), "", {"weights_dtype": "fp16"}),
    Kind("cast after a load of another dtype", loop(between="model.to('cuda').to(torch.float16)"), "", {"weights_dtype": "fp16"}),
    Kind("a part that is cast", trainer(between="model.lm_head.float()"), "", {"weights_dtype": UNRESOLVED}),
    Kind("moved to a device", trainer(between="import os\nmodel.to(int(os.environ['LOCAL_RANK']))"), "", {"weights_dtype": "fp32"}),
    Kind(
        "what a model gives is cast",
        loop().replace("loss = model(**batch).loss", "loss = model(**batch).logits.float().mean()"),
        "",
        {"weights_dtype": "bf16"},
    ),
    Kind("checkpointing at the model", trainer(between="model.gradient_checkpointing_enable()"), "", {"recompute": "full"}),
    Kind(
        "checkpointing at the model after the trainer is made",
        trainer().replace("trainer.train()", "model.gradient_checkpointing_enable()\ntrainer.train()"),
        "",
        {"recompute": "full"},
    ),
    Kind("what is done after the training", trainer() + "model.half()\n", "", {"weights_dtype": "fp32"}),
    Kind(
        "checkpointing by the model's configuration",
        trainer(CHECKPOINTING_BY_THE_MODEL_S_CONFIGURATION).replace('pretrained("gpt2")', 'pretrained("gpt2", config=config)'),
        "",
        {"recompute": "full"},
    ),
    Kind(
        "an adapter by a class",
        trainer("from peft import LoraConfig, PeftModel", "model = PeftModel(model, LoraConfig(r=4, target_modules=['q_proj']))"),
        "",
        {"adapter": "lora", "lora_r": 4, "lora_targets": ("q_proj",)},
    ),
    Kind(
        "an adapter of another method",
        trainer("from peft import IA3Config, get_peft_model", "model = get_peft_model(model, IA3Config(task_type='CAUSAL_LM'))"),
        "",
        {"adapter": "other"},
    ),
    Kind(
        "targets by a condition that nobody decides",
        trainer(
            "from peft import LoraConfig, get_peft_model",
            TARGETS_BY_A_CONDITION_THAT_NOBODY_DECIDES,
        ),
        "",
        {"adapter": "lora", "lora_r": 4, "lora_targets": Either(("q_proj",), ("c_attn",))},
    ),
    Kind(
        "a quantisation by a name that stands elsewhere",
        A_QUANTISATION_BY_A_NAME_THAT_STANDS_ELSEWHERE,
        "",
        {"quant": "nf4", "weights_dtype": "fp16", "micro_batch": 2},
    ),
    Kind(
        "a number by a condition that nobody decides",
        trainer("import os").replace("per_device_train_batch_size=2", "per_device_train_batch_size=4 if os.cpu_count() > 8 else 1"),
        "",
        {"micro_batch": Either(4, 1)},
    ),
    Kind(
        "a Trainer of one's own",
        trainer()
        .replace(
            "args = Tr",
            A_TRAINER_OF_ONE_S_OWN,
        )
        .replace("trainer = Trainer(", "trainer = Mine("),
        "",
        {"optimizer": UNRESOLVED, "loss": UNRESOLVED, "adapter": "none", "micro_batch": 2},
    ),
    Kind(
        "a function that makes the model",
        A_FUNCTION_THAT_MAKES_THE_MODEL,
        "",
        {"model": "gpt2", "micro_batch": 2},
    ),
    Kind(
        "Seq2SeqTrainer with two lengths",
        SEQ2SEQTRAINER_WITH_TWO_LENGTHS,
        "--max_target_len 64",
        {"seq_len": 320, "target_len": 64, "pad_to_seq_len": True, "micro_batch": 2},
    ),
    Kind(
        "a length that only a field is called so",
        trainer(A_LENGTH_THAT_ONLY_A_FIELD_IS_CALLED_SO),
        "--seq_length 2048",
        {"seq_len": 2048},
    ),
    Kind(
        "a module of the repository around a model",
        trainer(
            A_MODULE_OF_THE_REPOSITORY_AROUND_A_MODEL,
            "model = Scorer(model)",
        ),
        "",
        {"model": "gpt2", "adapter": "none", "quant": "none"},
    ),
    # loops
    Kind(
        "a loop around a loaded model",
        loop("data = make()"),
        "",
        {
            "model": "gpt2",
            "weights_dtype": "bf16",
            "quant": "none",
            "adapter": "none",
            "micro_batch": 6,
            "optimizer": "adamw",
            "recompute": "none",
        },
    ),
    Kind("a loop whose model checkpoints", loop(between="model.gradient_checkpointing_enable()"), "", {"recompute": "full"}),
    Kind(
        "a loop that trains a part",
        loop().replace("model.parameters()", "[p for n, p in model.named_parameters() if 'head' in n]"),
        "",
        {"adapter": UNRESOLVED, "optimizer": "adamw"},
    ),
    Kind(
        "a loop with weight decay for some",
        loop().replace(
            "model.parameters()",
            "[{'params': [p for n, p in model.named_parameters() if 'bias' in n], 'weight_decay': 0.0}, "
            "{'params': [p for n, p in model.named_parameters() if 'bias' not in n], 'weight_decay': 0.1}]",
        ),
        "",
        {"adapter": "none", "optimizer": "adamw"},
    ),
    Kind("a loop on all devices of one process", loop(between="model = torch.nn.DataParallel(model)"), "", {"micro_batch": UNRESOLVED}),
    Kind(
        "a loop with accelerate",
        loop(
            A_LOOP_WITH_ACCELERATE,
            after="model, optimizer, loader = accelerator.prepare(model, optimizer, loader)",
        ).replace("loss.backward()", "accelerator.backward(loss)"),
        "",
        {"autocast": "bf16", "grad_accum": 4, "micro_batch": 6},
    ),
    Kind(
        "one of two optimizers",
        loop("import argparse, os\nfrom bitsandbytes.optim import AdamW8bit").replace(
            "optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)",
            ONE_OF_TWO_OPTIMIZERS,
        ),
        "",
        {"optimizer": UNRESOLVED},
    ),
    Kind(
        "DeepSpeed with a dict",
        DEEPSPEED_WITH_A_DICT,
        "",
        {"model": "gpt2", "micro_batch": 3, "shard": "zero2", "optimizer": "fused_adam"},
    ),
    Kind(
        "functions that processes are started with",
        FUNCTIONS_THAT_PROCESSES_ARE_STARTED_WITH,
        "",
        {"model": "gpt2", "micro_batch": 6, "optimizer": "adamw"},
    ),
    Kind(
        "a loop under autocast",
        loop().replace(
            "    loss = model(**batch).loss",
            "    with torch.autocast('cuda', dtype=torch.bfloat16):\n        loss = model(**batch).loss",
        ),
        "",
        {"autocast": "bf16"},
    ),
    Kind("a loop under nothing", loop(), "", {"autocast": "none"}),
    Kind(
        "a loop with FSDP",
        loop("from torch.distributed.fsdp import FullyShardedDataParallel", "model = FullyShardedDataParallel(model)"),
        "",
        {"shard": "fsdp", "autocast": UNRESOLVED, "model": "gpt2", "adapter": "none"},
    ),
    Kind(
        "a loop with a second model",
        loop(between='teacher = AutoModelForCausalLM.from_pretrained("gpt2-large")'),
        "",
        {"model": "gpt2", "reference_model": UNRESOLVED, "micro_batch": 6},
    ),
    Kind(
        "a loop whose rows are shared out",
        loop("from accelerate import Accelerator\naccelerator = Accelerator(split_batches=True)"),
        "",
        {"micro_batch": UNRESOLVED},
    ),
    # models of the repository
    Kind(
        "a module of the repository's own",
        own(),
        "",
        {
            "model": UNRESOLVED,
            "weights_dtype": "fp32",
            "quant": "none",
            "adapter": "none",
            "micro_batch": 32,
            "optimizer": "sgd",
            "recompute": "none",
        },
    ),
    Kind("one that is cast", own(between="net = net.to(device='cuda', dtype=torch.bfloat16)"), "", {"weights_dtype": "bf16"}),
    Kind("one that is moved", own(between="net = net.to('cuda')"), "", {"weights_dtype": "fp32"}),
    Kind(
        "one whose layers are given a dtype",
        own().replace("nn.Linear(8, 8)", "nn.Linear(8, 8, dtype=torch.bfloat16)"),
        "",
        {"weights_dtype": UNRESOLVED},
    ),
    Kind("after another default", own("torch.set_default_dtype(torch.bfloat16)"), "", {"weights_dtype": UNRESOLVED}),
    Kind(
        "one that may checkpoint",
        own("from torch.utils.checkpoint import checkpoint"),
        "",
        {"recompute": UNRESOLVED},
    ),
    Kind(
        "one of torchvision",
        own("import torchvision.models as models").replace("net = Net()", "net = models.__dict__['resnet18']()"),
        "",
        {"model": "torchvision.models.resnet18", "weights_dtype": "fp32", "optimizer": "sgd", "micro_batch": 32},
    ),
    Kind(
        "Lightning",
        LIGHTNING,
        "",
        {"model": "gpt2", "micro_batch": 7, "optimizer": "adamw", "autocast": "bf16", "grad_accum": 8},
    ),
)


def settings(kind: Kind) -> Mapping[str, Setting]:
    """The settings of the one run that a kind comes to."""
    files = TextFiles({"train.py": kind.program, "run.sh": f"python train.py {kind.words}\n", **kind.beside})
    source = files.read("run.sh")
    [launch] = script_launches(source)  # type: ignore[arg-type]
    run = FollowedPrograms(files).launched(launch)
    assert run is not None
    reading = run.reading
    assert reading is not None
    pinned = release("transformers", "4.57.0", Origin(OriginKind.COMMAND_LINE))
    assert pinned is not None
    return complete(reader_by(reading), reading.settings, Stack({"transformers": pinned}))


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_a_kind_of_program_comes_to_these_settings(kind: Kind) -> None:
    found = settings(kind)
    told = {name: _told(found.get(name), value) for name, value in kind.expected.items()}
    assert told == dict(kind.expected)


def _told(setting: Setting | None, expected: Any) -> Any:
    """What a setting says, in the words of the table."""
    if setting is None:
        return UNRESOLVED if expected is UNRESOLVED else None
    if setting.state == "auto" and len(setting.readings) == 2:
        return Either(*setting.readings)
    return setting.value if setting.known else UNRESOLVED
