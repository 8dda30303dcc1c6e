import sky

SIZES = {"7b": ("Qwen/Qwen2.5-7B", 2), "3b": ("Qwen/Qwen2.5-3B", 8)}


def task(size: str) -> sky.Task:
    model, rows = SIZES[size]
    command = f"llamafactory-cli train --stage sft --do_train true --model_name_or_path {model} --per_device_train_batch_size {rows}"
    return sky.Task.from_yaml_config({"resources": {"accelerators": "A100-80GB:4"}, "run": f"{command} $(cat common.args)"})


sky.launch(task("7b"))
