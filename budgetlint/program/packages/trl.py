"""What TRL's helpers make of its ModelConfig, and what others do to a model before it trains.

Sources: trl 0.9.6 to 0.26 ``trainer/utils.py`` get_peft_config, get_quantization_config, get_kbit_device_map; ``models/utils.py``
setup_chat_format.
"""

from __future__ import annotations

from budgetlint.program.calling import Call
from budgetlint.program.choices import choice
from budgetlint.program.objects import Handler, Object
from budgetlint.program.operators import made_of
from budgetlint.program.state import Interpreter, Signal
from budgetlint.program.truth import truth
from budgetlint.program.values import ABSENT, NONE, External, Items, Known, Opaque, Value, Way

_LORA = {
    "r": ("lora_r", 16), "lora_alpha": ("lora_alpha", 32), "lora_dropout": ("lora_dropout", 0.05),
    "target_modules": ("lora_target_modules", None),
    "modules_to_save": ("lora_modules_to_save", None), "use_rslora": ("use_rslora", False), "use_dora": ("use_dora", False),
}  # fmt: skip


def _field(it: Interpreter, config: Object, name: str, default: object) -> Value:
    found = config.attributes.get(name, ABSENT)
    if found is not ABSENT:
        return found
    return Known(default) if config.rest is None else made_of(config.rest)  # type: ignore[arg-type]


def _either(it: Interpreter, switch: Value, make: Value, when: str) -> Value:
    """What is made where a switch is on, else None."""
    known = truth(switch)
    if known is not None:
        return make if known else NONE
    return choice([Way(when, make), Way(f"not ({when})", NONE)])


def _peft_config(it: Interpreter, call: Call) -> Value:
    config = call.get("model_args", 0) or call.get("model_config")
    if not isinstance(config, Object):
        return made_of(config or Opaque("a model config"))
    switch = _field(it, config, "use_peft", False)
    if truth(switch) is False:
        return NONE
    keywords = {name: _field(it, config, field, default) for name, (field, default) in _LORA.items()}
    made = _made(it, "peft.LoraConfig", keywords, call)
    return _either(it, switch, made, "use_peft")


def _made(it: Interpreter, kind: str, keywords: dict[str, Value], call: Call) -> Value:
    return it.call(External(kind), call._replace(positional=(), keywords=keywords, rest=None))


def _quantisation(it: Interpreter, call: Call) -> Value:
    config = call.get("model_args", 0) or call.get("model_config")
    if not isinstance(config, Object):
        return made_of(config or Opaque("a model config"))
    four, eight = _field(it, config, "load_in_4bit", False), _field(it, config, "load_in_8bit", False)
    dtype = _field(it, config, "dtype", None) if "dtype" in config.attributes else _field(it, config, "torch_dtype", None)
    in_four = {
        "load_in_4bit": Known(True), "bnb_4bit_compute_dtype": dtype, "bnb_4bit_quant_type": _field(it, config, "bnb_4bit_quant_type",
        "nf4"),
        "bnb_4bit_use_double_quant": _field(it, config, "use_bnb_nested_quant", False),
    }  # fmt: skip
    return _of_switches(it, four, eight, in_four, call)


def _of_switches(it: Interpreter, four: Value, eight: Value, in_four: dict[str, Value], call: Call) -> Value:
    def way(keywords: dict[str, Value]) -> Signal:
        return ("return", _made(it, "transformers.BitsAndBytesConfig", keywords, call))

    if truth(four) is True:
        return way(in_four)[1]
    if truth(four) is False and truth(eight) is not None:
        return way({"load_in_8bit": Known(True)})[1] if truth(eight) else NONE
    ways = [
        ("load_in_4bit", lambda: way(in_four)),
        ("load_in_8bit", lambda: way({"load_in_8bit": Known(True)})),
        ("neither", lambda: ("return", NONE)),
    ]
    return it.fork([one for one in ways if not (one[0] == "load_in_8bit" and truth(eight) is False)])[1]


def _device_map(it: Interpreter, call: Call) -> Value:
    return Opaque("the process's own device", package="trl")


def _chat_format(it: Interpreter, call: Call) -> Value:
    """Gives model and tokenizer back, with two more tokens."""
    model, tokenizer = call.get("model", 0), call.get("tokenizer", 1)
    return Items([model or NONE, tokenizer or NONE], "tuple")


def _config(kind: str) -> Handler:
    def made(it: Interpreter, call: Call) -> Value:
        one = Object(kind)
        one.attributes.update(call.keywords)
        one.rest = call.rest
        return one

    return made


FUNCTIONS: dict[str, Handler] = {
    "trl.get_peft_config": _peft_config,
    "trl.get_quantization_config": _quantisation,
    "trl.get_kbit_device_map": _device_map,
    "trl.setup_chat_format": _chat_format,
    "trl.trainer.utils.get_peft_config": _peft_config,
    "trl.ModelConfig": _config("trl.ModelConfig"),
    "trl.ScriptArguments": _config("trl.ScriptArguments"),
}
