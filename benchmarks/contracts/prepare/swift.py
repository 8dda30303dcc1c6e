# A machine with a GPU that computes bf16, and a small Qwen2 on its disk, as far as the argument classes ask.
import json
import pathlib
import tempfile

import transformers.training_args as training_args

for name in ("is_torch_bf16_gpu_available", "is_torch_tf32_available"):
    if hasattr(training_args, name):
        setattr(training_args, name, lambda *_, **__: True)

FOLDER = pathlib.Path(tempfile.mkdtemp()) / "qwen2"
FOLDER.mkdir()
SIZES = {"hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 2}
CONFIG = {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "max_position_embeddings": 2048, "vocab_size": 1000, **SIZES}
(FOLDER / "config.json").write_text(json.dumps({**CONFIG, "torch_dtype": "bfloat16"}), encoding="utf-8")


@kind("swift")  # noqa: F821
def swift(name, given):
    """As ``swift sft`` makes them: flags of a command, or of a YAML file, read by the parser of its own classes."""
    try:
        import swift.arguments as arguments
        from swift.utils import parse_args
    except ImportError:
        import swift.llm as arguments
        from swift.utils import parse_args
    flags = []
    for key, value in given.items():
        if value is not None:
            flags += [f"--{key}", *_words(str(FOLDER) if value == "model" and key == "model" else value)]
    _, rest = parse_args(getattr(arguments, name, None) or arguments.TrainArguments, flags)
    if rest:
        raise ValueError(f"remaining_argv: {rest}")


def _words(value):
    if isinstance(value, list):
        return [str(one) for one in value]
    return [json.dumps(value) if isinstance(value, dict) else str(value)]
