"""What the readers make of a launch: the program's flags, and the launchers around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from budgetlint import frameworks
from budgetlint.base.expression import expression
from budgetlint.base.numerals import small
from budgetlint.base.record import replace
from budgetlint.documents import Document, Entry, Loader, Scalar
from budgetlint.launch.accelerate import as_config, config_file
from budgetlint.launch.commands import ACCELERATE, COMPOSER, DEEPSPEED, OUMI
from budgetlint.launch.launch import Launch
from budgetlint.readers import Reader, identify, reader_of
from budgetlint.readers.base import Key, read_keys, to_count
from budgetlint.readers.hf.recognise import FLAVOURS
from budgetlint.readers.known_programs import known_program
from budgetlint.settings.run import UNSAID, Origin, OriginKind, Reading, Reference, Role, Setting, Settings

_ENVIRONMENT = "environment"
_EVERY_DEVICE = (ACCELERATE, DEEPSPEED, COMPOSER, OUMI)
"""Launchers that take every visible device unless they are told."""
_TASKS = {"sft": "sft", "dpo": "dpo", "kto": "kto", "orpo": "orpo", "grpo": "grpo", "ppo": "ppo", "reward": "reward"}


def format_of(launch: Launch) -> str:
    """The format of the flags: by the program's name, else the reader that claims them, else empty."""
    known = known_program(launch.program.program)
    if known is not None:
        return known.format
    reader = identify(launch.program)
    return reader.format if isinstance(reader, Reader) else ""


def flag_reader(launch: Launch, trainers: Iterable[Reading]) -> Reader | None:
    """Who reads the program's flags: the reader of the file that the flags override, else whoever claims them."""
    for trainer in trainers:
        return _named(trainer.format)
    claimed = identify(launch.program)
    if isinstance(claimed, Reader):
        return claimed if claimed.role is Role.TRAINER else None
    format = format_of(launch)
    return _named(format) if frameworks.format_of(format).same_keys or format in FLAVOURS else None


def _named(format: str) -> Reader | None:
    return reader_of(format)


def flag_reading(launch: Launch, trainers: tuple[Reading, ...]) -> Reading | None:
    """The program's flags. Beside a file, only what the flags themselves say: no conclusion from what they leave out."""
    reader = flag_reader(launch, trainers)
    if reader is None or (trainers and launch.program.mapping is not None and not launch.program.mapping.entries):
        return None
    found = replace(reader.read(launch.program), consumer=launch.consumer)
    if not trainers:
        return replace(found, settings=found.settings.filled((*_from_name(launch), *_own_adapter(launch, found))))
    written = [setting for setting in found.settings.values() if setting.origin.source is launch.source]
    return replace(found, settings=Settings(written))


def _own_adapter(launch: Launch, found: Reading) -> Iterator[Setting]:
    """A script of the user's own that takes a rank or a 4-bit compute dtype has switches of its own for them (``--use_peft_lora``,
    ``--use_4bit_quantization``), and some freeze parts of a model (``--freeze_llm``, ``--use_llm_lora 16``): both ways are possible."""
    known = known_program(launch.program.program)
    if found.format not in FLAVOURS or (known is not None and not known.towers):
        return
    for name, told, ways in (("adapter", "lora_r", ("lora", "none")), ("quant", "quant_compute_dtype", ("nf4", "none"))):
        setting = found.settings.get(told)
        if setting is not None:
            yield replace(setting, name=name, value=None, state="auto", readings=ways, overrode=())
    written = launch.program.mapping.entries if launch.program.mapping else ()
    lora = list(_lora_of_the_language_model(launch, written))
    yield from (*_tower_flags(launch, written), *lora)
    part = next((entry for entry in written if _trains_a_part(entry)), None) if not lora else None
    if part is not None and "lora_r" not in found.settings:
        origin = Origin(OriginKind.FLAG, launch.source, part.key.span, part.key.text)
        yield Setting("adapter", None, origin, part.key.text, "auto", readings=("other", "none"))


_TOWERS = {
    "freeze_backbone": ("train_vision", False),
    "freeze_vision_tower": ("train_vision", False),
    "tune_mm_vision": ("train_vision", True),
    "freeze_mlp": ("train_projector", False),
    "tune_mm_mlp": ("train_projector", True),
}
"""Flags of vision-language scripts that speak of tower or projector alone, and whether they say that it trains: InternVL
internvl_chat_finetune.py, Qwen2.5-VL qwen-vl-finetune/qwenvl/train/argument.py."""


def _tower_flags(launch: Launch, written: Iterable[Entry]) -> Iterator[Setting]:
    for entry in written:
        name, trains = _TOWERS.get(entry.key.text, ("", False))
        if name and isinstance(entry.value, Scalar):
            value = trains if entry.value.text.lower() not in _OFF else not trains
            yield Setting(name, value, Origin(OriginKind.FLAG, launch.source, entry.value.span, entry.key.text), entry.value.text)


def _lora_of_the_language_model(launch: Launch, written: Iterable[Entry]) -> Iterator[Setting]:
    """InternVL's ``--use_llm_lora 16``: the rank of an adapter on every linear of the language model (modeling_internvl_chat.py
    ``wrap_llm_lora``)."""
    found = next((entry for entry in written if entry.key.text == "use_llm_lora"), None)
    rank = small(found.value.text) if found is not None and isinstance(found.value, Scalar) else None
    if found is None or not isinstance(found.value, Scalar) or not rank:
        return
    origin = Origin(OriginKind.FLAG, launch.source, found.value.span, found.key.text)
    for name, value in (("adapter", "lora"), ("lora_r", rank), ("train_vision", False), ("train_projector", False)):
        yield Setting(name, value, origin, found.value.text)


_PARTS = expression(r"(?:use_\w+_lora|(?:freeze|unfreeze)_\w+|tune_mm_mlp_adapter)")
_OFF = frozenset(("false", "0", "no", "none"))


def _trains_a_part(entry: Entry) -> bool:
    if entry.key.text in _TOWERS:
        return False
    return _PARTS.fullmatch(entry.key.text) is not None and not (isinstance(entry.value, Scalar) and entry.value.text.lower() in _OFF)


def _from_name(launch: Launch) -> Iterator[Setting]:
    """``trl dpo`` names its task."""
    tool, _, subcommand = launch.program.program.partition(" ")
    if tool == "trl" and subcommand in _TASKS:
        yield Setting("task", _TASKS[subcommand], Origin(OriginKind.FLAG, launch.source, launch.span, "trl"), subcommand)


def launcher_readings(launch: Launch) -> tuple[Reading, ...]:
    """The launchers, innermost first; what the environment and the job say comes last."""
    readings: list[Reading] = []
    for document in reversed(launch.layers):
        if document.program == ACCELERATE:
            readings.append(_accelerate(launch, document))
            continue
        reader = identify(document)
        if isinstance(reader, Reader) and reader.role is Role.LAUNCHER and _counts(launch, document.program):
            readings.append(reader.read(document))
    return tuple(reading for reading in readings if reading.settings or reading.references)


def with_device_map(around: tuple[Reading, ...], trainer: Reading, launcher: str) -> tuple[Reading, ...]:
    """ms-swift spreads the layers of one process over several devices where it sees more devices than it starts processes:
    ms_swift 4.6 ``utils/torch_utils.py`` is_mp, ``model/utils.py`` get_default_device_map. It starts one unless
    NPROC_PER_NODE or a launcher around it says so."""
    counts = [(reading, told) for reading in around if (told := reading.settings.get("devices_per_node")) is not None]
    if trainer.format != "ms_swift" or not counts or trainer.settings.value("model_code") == "megatron" or launcher in _EVERY_DEVICE:
        return around
    environment, told = counts[-1]
    visible = next((one for one in (told, *told.overrode) if one.origin.key == "CUDA_VISIBLE_DEVICES"), None)
    processes = _ALONE if counts[0][1] is visible else counts[0][1]
    split = visible.value // processes.value if visible is not None and visible.known and processes.known else None
    if visible is None or (split is not None and split < 2):
        return around
    layers = replace(visible, name="pipeline_parallel", value=split, overrode=(), state="symbolic" if split is None else "known")
    kept = [setting for setting in environment.settings.values() if setting is not told]
    spread = replace(environment, settings=Settings((*kept, processes, layers)))
    return tuple(spread if reading is environment else reading for reading in around)


def image_size(launch: Launch, trainer: Reading) -> Setting | None:
    """ms-swift takes the largest image of Qwen's models from ``MAX_PIXELS`` (ms_swift 2.6.1 ``llm/utils/template.py``, 3.5.0
    ``llm/model/model/qwen.py`` and 4.6.0 ``model/models/qwen.py`` patch_qwen_vl_utils, all by ``get_env_args``)."""
    environment = next((document for document in launch.layers if document.program == _ENVIRONMENT), None)
    if environment is None or trainer.format != "ms_swift":
        return None
    settings, _ = read_keys(environment, Loader.SHELL, (Key("MAX_PIXELS", "image_max_pixels", to_count),))
    return next(iter(settings), None)


_ALONE = Setting("devices_per_node", 1, Origin(OriginKind.DERIVED, note="ms-swift starts one process without NPROC_PER_NODE"), "1")


def _counts(launch: Launch, program: str) -> bool:
    """``srun`` counts processes only where each task is the program itself; the visible devices only where all are taken."""
    inner = launch.launcher
    if program in ("srun", "mpirun"):
        return inner == program
    return program != _ENVIRONMENT or inner in (_ENVIRONMENT, *_EVERY_DEVICE) or inner.startswith("torchrun")


def _accelerate(launch: Launch, document: Document) -> Reading:
    from budgetlint.readers.accelerate.reader import READER

    found = READER.read(as_config(document))
    named = config_file(document)
    references = found.references
    if named is not None:
        references = (*references, Reference(Role.LAUNCHER, named.text, Origin(OriginKind.FLAG, launch.source, named.span, "config_file")))
    return replace(found, document=document, references=references)


def takes_recipe(launch: Launch) -> bool:
    """Does the program take its run from the file that it is given, so that flags alone say little?"""
    return frameworks.format_of(format_of(launch)).same_keys and _is_wide(launch)


def takes_every_device(launch: Launch) -> bool:
    return launch.launcher in _EVERY_DEVICE or _is_wide(launch)


def _is_wide(launch: Launch) -> bool:
    """A tool that calls accelerate or torchrun itself, and so takes every device."""
    return launch.program.program.startswith(_wide_tools())


@cache
def _wide_tools() -> tuple[str, ...]:
    return tuple(f"{tool.name} " for manifest in frameworks.manifests() for tool in manifest.tools if tool.every_device)


def one_process(launch: Launch, reading: Reading) -> Setting | None:
    """A bare ``python train.py`` is one process. On how many cards is another matter: a Trainer takes all that it sees, each with the
    whole model and rows of its own, so that what one holds is the same."""
    around = [document.program for document in launch.layers if document.program not in ("environment", "job")]
    if around or not frameworks.format_of(reading.format).one_process or _is_wide(launch):
        return None
    if _takes_what_it_sees(launch, reading):
        return Setting("devices", 1, Origin(OriginKind.DERIVED, note=f"{UNSAID} on how many cards, as {ONE_PROCESS}"), "1 process")
    return Setting("devices", 1, Origin(OriginKind.DERIVED, note=ONE_PROCESS), "1")


def is_plain(launch: Launch) -> bool:
    """Does a shell start the program by itself, with no launcher around it? A service may set what a launcher does
    (Kubeflow's PyTorchJob)."""
    around = [document.program for document in launch.layers if document.program not in (_ENVIRONMENT, "job")]
    return not around and not _is_wide(launch) and not launch.function and not launch.source.path.endswith((".yaml", ".yml", ".json"))


def world_size(launch: Launch) -> int | None:
    """``WORLD_SIZE`` of the processes that a launcher starts; None where it sets none, or how many is not known. Sources: torch 2.13
    ``distributed/run.py`` (``--nnodes`` 1:1); DeepSpeed 0.18.6 ``launcher/launch.py``; accelerate 1.15 ``commands/launch.py``: of one
    process its simple_launcher sets none."""
    if launch.launcher not in _SET_WORLD_SIZE:
        return None
    readings = {reading.document.program: reading for reading in launcher_readings(launch)}
    reading = readings.get(launch.launcher)
    if reading is None or reading.references:
        return None
    written = launch.layers[-1].mapping or ()
    whole, each, nodes = (reading.settings.get(name) for name in ("devices", "devices_per_node", "nodes"))
    if "hostfile" in written or (nodes is None and ("nnodes" in written or "num_nodes" in written)):
        return None
    if any(one is not None and not (one.known and isinstance(one.value, int)) for one in (whole, each, nodes)):
        return None
    if launch.launcher == ACCELERATE:
        return whole.value if whole is not None and whole.value > 1 else None
    return each.value * (nodes.value if nodes is not None else 1) if each is not None else None


_SET_WORLD_SIZE = frozenset({"torchrun", "deepspeed", ACCELERATE})

ONE_PROCESS = "python starts one process"
_COUNTS_CARDS = frozenset({"llamafactory"})
"""Its arguments end a start that would take several (LLaMA-Factory 0.9 to 0.9.4 ``hparams/parser.py`` get_train_args)."""


def _takes_what_it_sees(launch: Launch, reading: Reading) -> bool:
    """A Trainer's ``n_gpu`` is every visible card where no DeepSpeed is (transformers 4.40 to 5.24 ``training_args.py`` _setup_devices;
    ``trainer.py`` _wrap_model: torch's DataParallel)."""
    by_engine = any(reference.role is Role.ENGINE for reference in reading.references)
    asked = launch.request.gpus if launch.request is not None else None
    form = frameworks.format_of(reading.format)
    return bool(form.arguments) and reading.format not in _COUNTS_CARDS and not by_engine and asked != 1


def data_parallel(launch: Launch, readings: Iterable[Reading]) -> Setting | None:
    """LLaMA-Factory's own launcher is torchrun (``launcher.py``): the Trainer's DDP, where no file of the run and no flag shards it."""
    said = any("shard" in reading.settings or reading.references for reading in readings)
    if said or not launch.program.program.startswith("llamafactory-cli "):
        return None
    note = "llamafactory-cli starts torchrun (launcher.py): ddp without deepspeed or fsdp"
    return Setting("shard", "ddp", Origin(OriginKind.DERIVED, note=note), "ddp")
