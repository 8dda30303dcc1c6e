"""Packages whose functions change neither a training's model nor what they are given: what goes into them comes out unchanged.

Each row says why. A name that is longer is asked first: `CHANGES` lists what is none of that in a package that otherwise is.
"""

from __future__ import annotations

import builtins

PACKAGES: dict[str, str] = {
    # what is told, measured or drawn
    "logging": "writes what it is told; records hold their arguments and do not change them",
    "loguru": "a logger", "structlog": "a logger", "absl.logging": "a logger", "rich": "prints", "pprint": "prints",
    "colorama": "colours of a terminal",
    "termcolor": "colours of a terminal", "tabulate": "prints tables", "prettytable": "prints tables", "warnings": "prints",
    "traceback": "prints",
    "tqdm": "counts the items of what it goes over",
    "wandb": "sends metrics and configs; its own config is another object than the arguments",
    "tensorboard": "writes metrics", "tensorboardX": "writes metrics", "torch.utils.tensorboard": "writes metrics",
    "mlflow": "sends metrics",
    "comet_ml": "sends metrics", "clearml": "sends metrics", "neptune": "sends metrics", "swanlab": "sends metrics",
    "aim": "writes metrics",
    "trackio": "writes metrics", "matplotlib": "draws", "seaborn": "draws", "plotly": "draws", "psutil": "reads the machine",
    "GPUtil": "reads the machine",
    "pynvml": "reads the machine", "platform": "reads the machine", "socket": "names and connections", "getpass": "names a user",
    # data and metrics
    "datasets": "makes new data sets; what map and filter call is followed by itself",
    "numpy": "makes new arrays, but for what is listed below",
    "pandas": "makes new tables of what it is given", "pyarrow": "makes new tables", "polars": "makes new tables", "scipy": "computes",
    "sklearn": "fits its own estimators", "evaluate": "computes metrics", "nltk": "splits texts", "rouge": "computes metrics",
    "rouge_score": "computes metrics",
    "torchmetrics": "computes metrics",
    "rouge_chinese": "computes metrics", "sacrebleu": "computes metrics", "bert_score": "computes metrics", "jieba": "splits texts",
    "spacy": "splits texts",
    "jsonlines": "reads and writes lines", "csv": "reads and writes rows", "PIL": "makes images", "cv2": "makes images",
    "librosa": "makes signals",
    "soundfile": "reads and writes signals", "torchaudio": "makes signals", "torchvision.transforms": "makes images",
    "sentencepiece": "splits texts",
    "deepspeed.compression.helper.recursive_getattr": "reads an attribute", "deepspeed.accelerator": "asks the machine",
    "einops": "computes", "resource": "limits of the process",
    "torchvision.utils": "writes images", "safetensors": "reads and writes files",
    "tokenizers": "splits texts; a tokenizer is no part of the memory of a step", "tiktoken": "splits texts", "langdetect": "reads texts",
    # frameworks, but for what is listed below
    "torch": "computes; a model keeps its modules and its dtype",
    **dict.fromkeys(("torch.jit.script", "torch.jit.ignore", "torch.jit.unused", "torch.jit.export", "torch.jit.is_scripting"),
                    "makes another function or module of what it is given"), "transformers": "loads and helps", "trl": "loads and helps",
    "accelerate": "asks the processes", "torch_xla": "processes and loaders of a TPU",
    # verl 0.4.1 and 0.9.1 ``utils/``
    "verl.utils.dataset": "reads its config", "verl.utils.tracking": "sends metrics", "verl.utils.fs": "copies files",
    "verl.utils.hdfs_io": "copies files",
    "verl.utils.hf_tokenizer": "loads a tokenizer", "verl.utils.hf_processor": "loads a processor",
    "verl.utils.tokenizer": "loads tokenizers",
    "verl.utils.distributed": "starts the processes", "verl.utils.device": "asks for the devices", "verl.utils.debug": "reads the machine",
    # services and pages: what they are given goes out of the program
    "openai": "sends and gets", "anthropic": "sends and gets", "httpx": "sends and gets", "aiohttp": "sends and gets",
    "tenacity": "calls again",
    "backoff": "calls again", "asyncio": "runs what it is given later", "concurrent": "runs what it is given elsewhere",
    "bs4": "reads pages",
    "selenium": "reads pages", "streamlit": "shows pages", "gradio": "shows pages", "flask": "serves pages", "fastapi": "serves pages",
    "uvicorn": "serves pages", "IPython": "shows", "pymongo": "stores", "redis": "stores", "sqlite3": "stores", "sqlalchemy": "stores",
    # the hub, files and the clock
    "huggingface_hub": "downloads and uploads files", "modelscope.hub": "downloads files", "requests": "sends and gets",
    "urllib": "sends and gets",
    "boto3": "sends and gets", "smart_open": "opens files", "fsspec": "opens files",
    "dotenv": "sets variables of the environment that nobody else set",
    "shutil": "copies and deletes files", "tempfile": "makes files", "pickle": "reads and writes files", "gzip": "reads and writes files",
    "zipfile": "reads and writes files", "tarfile": "reads and writes files", "pathlib": "files", "glob": "lists files",
    "fnmatch": "compares names",
    "os": "files and the process", "time": "a clock", "datetime": "a clock", "uuid": "makes names", "hashlib": "computes",
    "base64": "computes",
    "secrets": "random numbers", "random": "random numbers, but for what is listed below", "string": "texts", "textwrap": "texts",
    "re": "texts",
    "math": "computes", "statistics": "computes", "itertools": "goes over what it is given",
    "collections": "makes containers of what it is given",
    "functools": "makes functions", "operator": "computes", "json": "reads and writes", "yaml": "reads and writes", "copy": "makes copies",
    "inspect": "reads objects", "typing": "types", "types": "types", "dataclasses": "reads objects", "enum": "classes", "abc": "classes",
    "contextlib": "contexts", "signal": "handlers of signals", "gc": "frees what nobody holds",
    "subprocess": "starts another program", "sys": "the process",
    "faulthandler": "prints where a program stands", "io": "files", "struct": "computes", "ast": "reads texts",
    "difflib": "compares texts", "locale": "texts",
    "importlib.metadata": "reads versions", "pkg_resources": "reads versions", "packaging": "compares versions", "codecs": "texts",
    "html": "texts",
    "unicodedata": "texts", "emoji": "texts", "ftfy": "texts", "regex": "texts", "six": "texts",
    "argparse": "reads the words of the launch",
    "omegaconf": "reads and writes trees; what changes one is known by name",
    "hydra": "composes trees; what calls something is known by name",
    "rootutils": "finds the project's folder", "pyrootutils": "finds the project's folder", "setproctitle": "names the process",
    "nest_asyncio": "loops of events within others", "multiprocessing": "counts and starts processes",
    "google.colab": "files and secrets of a notebook", "sqlglot": "parses queries", "sqlparse": "parses queries", "google.cloud": "stores",
    "datatrove.utils.logging": "a logger",
    "codecarbon": "reads the machine", "humanize": "texts", "pytz": "a clock", "atexit": "calls at the end",
}  # fmt: skip
CHANGES: dict[str, str] = {
    **{f"torch.{name}": "the modules, the dtype or the memory of what it is given" for name in (
        "nn.utils.prune", "nn.utils.parametrize", "nn.utils.parametrizations", "nn.utils.weight_norm", "nn.utils.spectral_norm",
        "nn.utils.fusion",
        "nn.SyncBatchNorm", "quantization", "ao", "distributed.fsdp", "distributed._composable", "distributed.tensor",
        "distributed._tensor",
        "distributed.algorithms", "distributed.pipelining", "jit", "fx", "func", "utils._python_dispatch",
        "library", "overrides", "autograd.graph", "utils.swap_tensors")},
    "transformers.integrations": "the modules of the model", "transformers.quantizers": "the modules of the model",
    "transformers.pytorch_utils": "the modules of the model", "transformers.modeling_utils": "how models are loaded",
    "transformers.deepspeed.deepspeed_init": "the trainer's arguments",
    "transformers.deepspeed.HfDeepSpeedConfig": "how models are loaded", "transformers.models": "parts of a model",
    "trl.models.utils": "the modules of the model", "trl.prepare_deepspeed": "the model",
    "deepspeed.accelerator.set_accelerator": "which machine the package asks",
    "accelerate.big_modeling": "where the model lies", "accelerate.load_checkpoint_and_dispatch": "where the model lies",
    "accelerate.dispatch_model": "where the model lies", "accelerate.cpu_offload": "where the model lies",
    "accelerate.disk_offload": "where the model lies",
    "accelerate.utils.modeling": "where the model lies", "accelerate.utils.bnb": "the modules of the model",
    "accelerate.utils.load_and_quantize_model": "the modules of the model", "accelerate.hooks": "calls of the model",
    "accelerate.utils.fsdp_utils": "the model",
    "random.shuffle": "its list in place", "numpy.random.shuffle": "its array in place", "numpy.copyto": "its first argument",
    "numpy.put": "its first argument",
    "numpy.place": "its first argument", "numpy.putmask": "its first argument", "numpy.fill_diagonal": "its first argument",
    "operator.setitem": "its first argument", "operator.delitem": "its first argument",
    "operator.iadd": "its first argument", "operator.methodcaller": "calls a method",
    "logging.config.dictConfig": "takes keys out of its dict",
    "wandb.agent": "calls a function with a config of its own", "wandb.sweep": "chooses the config of a run",
    "inspect.currentframe": "gives the names of a program",
    "sys.setrecursionlimit": "how deep a program may go", "sys.settrace": "calls a function for each line",
    "os.chdir": "where the program is",
    "os.environ": "the environment", "types.MethodType": "binds a function to an object", "gc.get_objects": "gives every object",
}  # fmt: skip
"""What is no harmless call in a package of the table, and what it changes."""
_PYTHON = frozenset(dir(builtins)) - {"eval", "exec", "setattr", "delattr", "compile"}


def changes_nothing(name: str) -> bool:
    """Whether a call of this qualified name, or into this package, leaves what it is given as it was."""
    parts = name.removeprefix("builtins.").split(".")
    if (len(parts) == 1 and parts[0] in _PYTHON) or _asks_what_is_installed(parts):
        return True
    for length in range(len(parts), 0, -1):
        head = ".".join(parts[:length])
        if head in CHANGES:
            return False
        if head in PACKAGES:
            return True
    return False


def _asks_what_is_installed(parts: list[str]) -> bool:
    """``transformers.integrations.is_optuna_available`` (transformers 4.0 to 5.24 ``utils/import_utils.py``, ``integrations/``)."""
    return parts[0] in _ASKING and parts[-1].startswith("is_") and parts[-1].endswith("_available")


_ASKING = frozenset({"transformers", "accelerate", "peft", "trl", "diffusers", "datasets", "optimum", "torch"})
