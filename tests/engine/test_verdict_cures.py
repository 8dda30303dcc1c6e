"""What a run without a verdict is told to state: where only the model's shape lacks, the line that gives it."""

from __future__ import annotations

import pytest

from budgetlint.language.custom_model import REQUIRED

CONFIG = "model_name_or_path: {}\ndataset_name: a/b\nper_device_train_batch_size: 1\nmax_length: 512\n"
SHAPE = "config a.yaml; model custom hidden=1024 layers=4 heads=8 intermediate=4096 vocab=32000"
CASES = {
    "a model that no table has": ("acme/own-7b", "its shape is not known here"),
    "a diffusion model": ("black-forest-labs/FLUX.1-dev", "no line of a budget describes a diffusion model"),
    "another": ("stabilityai/stable-diffusion-xl-base-1.0", "no line of a budget describes a diffusion model"),
    "raw sound": ("facebook/wav2vec2-large-xlsr-53", "no line of a budget describes an encoder of raw sound"),
    "its kin": ("microsoft/wavlm-base-plus", "no line of a budget describes an encoder of raw sound"),
    "a name that holds such a word": ("acme/hubertina-7b", "its shape is not known here"),
    "a language model of such a word": ("acme/fluxion-7b", "its shape is not known here"),
    "layers that share their weights": ("albert-xxlarge-v2", "no line of a budget describes ALBERT"),
    "the same in a folder": ("/home/xx/models/albert-base-v2", "no line of a budget describes ALBERT"),
    "a folder of somebody's name": ("/home/albert/models/own-7b", "its shape is not known here"),
    "two stacks that translate": ("facebook/nllb-200-distilled-600M", "no line of a budget describes a translation model"),
    "windows": ("allenai/longformer-base-4096", "no line of a budget describes an encoder of windows"),
    "two streams": ("xlnet-base-cased", "no line of a budget describes XLNet"),
    "boxes": ("facebook/detr-resnet-50", "no line of a budget describes a detection or segmentation model"),
    "boxes of another kind": ("PekingU/rtdetr_r50vd", "no line of a budget describes a detection or segmentation model"),
    "masks": ("facebook/mask2former-swin-tiny-coco-instance", "no line of a budget describes a detection or segmentation model"),
    "a name that begins so": ("acme/detroit-7b", "its shape is not known here"),
    "a variable": ("${MODEL}", "how it comes about is not followed here: say in a budget which it is: model NAME"),
}


PROGRAM = """\
import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
p = argparse.ArgumentParser()
p.add_argument("--bs", type=int)
a = p.parse_args()
model = AutoModelForCausalLM.from_pretrained("acme/own-thing")
args = TrainingArguments(output_dir="o", per_device_train_batch_size=a.bs, learning_rate=1e-4, num_train_epochs=1)
Trainer(model=model, args=args).train()
"""


def test_what_lacks_beside_the_model_is_told_with_it(shell) -> None:
    shell.write("train.py", PROGRAM)
    shell.write("run.sh", "python train.py --bs $BS\n")
    (finding,) = told(shell, "device 24GiB")
    assert str(finding["help"]).endswith("beside the model, with the run's own values: batch 1")


def told(shell, budget: str) -> list[dict[str, object]]:
    report = shell("check", "--budget", budget, "--format", "json", "--no-cache").json
    return [one for one in report["findings"] if one["name"] == "no-verdict"]


@pytest.mark.parametrize(("model", "said"), CASES.values(), ids=CASES)
def test_the_cure(shell, model: str, said: str) -> None:
    shell.write("a.yaml", CONFIG.format(model))
    (finding,) = told(shell, "device 24GiB")
    assert str(finding["help"]).startswith(said)


def test_a_kind_of_model_is_named_once_for_all_runs(shell) -> None:
    for name in ("a.yaml", "b.yaml", "c.yaml"):
        shell.write(name, CONFIG.format("albert-base-v2"))
    for name in ("d.yaml", "e.yaml"):
        shell.write(name, CONFIG.format("acme/own-7b"))
    shell.write("f.yaml", CONFIG.format("acme/other-7b"))
    findings = told(shell, "device 24GiB")
    assert [one["runs"] for one in findings] == [["a.yaml", "b.yaml", "c.yaml"], ["d.yaml", "e.yaml"], ["f.yaml"]]
    assert [str(one["message"]).partition(": ")[2] for one in findings[1:]] == [
        f"incomplete: model (acme/{n}-7b)" for n in ("own", "other")
    ]
    assert [place["file"] for place in findings[0]["related"]] == ["b.yaml", "c.yaml"]


def test_the_line_that_it_names_gives_a_verdict(shell) -> None:
    shell.write("a.yaml", CONFIG.format("acme/own-7b"))
    (finding,) = told(shell, "device 24GiB")
    assert "config FILE; model custom " in str(finding["help"])
    assert [name for name in REQUIRED if f"{name}=" not in str(finding["help"])] == []
    assert told(shell, f"device 24GiB; {SHAPE}") == []


def test_a_program_on_jax_is_not_sent_to_the_probe(shell) -> None:
    shell.write(
        "run.sh",
        "python run_clm_flax.py --do_train --model_name_or_path gpt2 --output_dir o --per_device_train_batch_size 4 --block_size 512\n",
    )
    (finding,) = told(shell, "device 24GiB")
    assert str(finding["help"]).startswith("state what was measured")
