"""Parameters of the catalog's models, counted in an instance of the transformers class on meta tensors.

    pip install torch==2.13.0 transformers==5.24.0
    python benchmarks/count_models.py benchmarks/data/counts_models_transformers-5.24.0.jsonl

The file is read and written anew. Each line: the catalog's name, the hub id, the config (sizes as the row's sources have them; the keys of
a class that are missing have the class defaults), the class, and its parameters (tied ones once); no class where transformers has none.
The T5 configs of 5.24.0 tie always (configuration_t5.py ``__post_init__``); checkpoints of v1.1 and later are untied, so their head is
added. Encoders are counted bare, as their checkpoints lie; `count_encoders.py` has more of them.
"""

from __future__ import annotations

import argparse
import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
import transformers

BARE = frozenset({"bert", "roberta", "xlm-roberta", "electra", "distilbert", "modernbert", "camembert"})
WITHOUT_POOLER = {"vit": "ViTModel", "deit": "DeiTModel"}
T5 = frozenset({"t5", "umt5"})
NO_CLASS = frozenset({"baichuan"})


def instance(config: dict[str, Any]) -> Any:
    kind, config = config["model_type"], deepcopy(config)  # the config classes take nested ones apart
    made = transformers.AutoConfig.for_model(kind, **{key: value for key, value in config.items() if key != "model_type"})
    auto = (
        "AutoModel"
        if kind in BARE
        else "AutoModelForSeq2SeqLM"
        if kind in {*T5, "bart"}
        else "AutoModelForSpeechSeq2Seq"
        if kind == "whisper"
        else "AutoModelForCausalLM"
    )
    auto = "AutoModelForImageTextToText" if "vision_config" in config else auto
    with torch.device("meta"):
        if kind in WITHOUT_POOLER:
            return getattr(transformers, WITHOUT_POOLER[kind])(made, add_pooling_layer=False)
        return getattr(transformers, auto).from_config(made)


def counted(row: dict[str, Any]) -> dict[str, Any]:
    config = row["config"]
    found = {"name": row["name"], "hub_id": row["hub_id"]}
    if config["model_type"] not in NO_CLASS:
        model = instance(config)
        head = config["vocab_size"] * config["d_model"] if config["model_type"] in T5 and config.get("tie_word_embeddings") is False else 0
        found |= {"class": type(model).__name__, "params": sum(parameter.numel() for parameter in model.parameters()) + head}
    return {**found, "config": config}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    transformers.logging.set_verbosity_error()
    file: Path = parser.parse_args().file
    _, *rows = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    versions = {"versions": {"transformers": transformers.__version__, "torch": torch.__version__.partition("+")[0]}}
    lines = [versions, *(counted(row) for row in rows)]
    file.write_text("".join(json.dumps(one, separators=(",", ":"), ensure_ascii=False) + "\n" for one in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
