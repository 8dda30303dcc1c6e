"""Models that other packages have ready, in whose code no formula knows its way: refused by name, once."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

HEAD = "import torch, timm, whisper, open_clip, torchvision, sentence_transformers\nfrom torch import nn\n"
HEAD += "from diffusers import UNet2DConditionModel\nfrom transformers import AutoModelForCTC, Wav2Vec2ForCTC\n"
LOOP = """
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
for batch in torch.utils.data.DataLoader(rows, batch_size=4, shuffle=True):
    model(batch).sum().backward()
    optimizer.step()
"""
WRAPPED = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = timm.create_model("resnet50", pretrained=True)
    def forward(self, batch):
        return self.body(batch)
model = Net()"""
CASES = {
    "timm": (f"model = timm.create_model('vit_base_patch16_224')\n{LOOP}", "timm", "timm.create_model(vit_base_patch16_224)"),
    "a module around it": (WRAPPED + LOOP, "timm", "timm.create_model(resnet50)"),
    "whisper's own code": (f"model = whisper.load_model('small')\n{LOOP}", "openai-whisper", "whisper.load_model(small)"),
    "the first of what it gives": (
        f"model, _, _ = open_clip.create_model_and_transforms('ViT-B-32')\n{LOOP}",
        "open-clip",
        "open_clip.create_model_and_transforms(ViT-B-32)",
    ),
    "torchvision": (f"model = torchvision.models.resnet18()\n{LOOP}", "torchvision", "torchvision.models.resnet18"),
    "a part of a pipeline": (
        f"model = UNet2DConditionModel.from_pretrained('acme/own', subfolder='unet')\n{LOOP}",
        "diffusion",
        "acme/own",
    ),
    "raw sound, by its class": (f"model = Wav2Vec2ForCTC.from_pretrained('out/best')\n{LOOP}", "wav2vec2", "out/best"),
    "raw sound, by its name": (
        f"model = AutoModelForCTC.from_pretrained('facebook/hubert-large-ll60k')\n{LOOP}",
        "wav2vec2",
        "facebook/hubert-large-ll60k",
    ),
    "sentences": (
        f"model = sentence_transformers.SentenceTransformer('acme/own')\n{LOOP}",
        "sentence-transformers",
        "sentence_transformers.SentenceTransformer(acme/own)",
    ),
}


@pytest.mark.parametrize(("text", "name", "model"), CASES.values(), ids=CASES)
def test_it_is_refused_by_name(text: str, name: str, model: str) -> None:
    (run,) = judge_texts({"train.py": HEAD + text, "run.sh": "python train.py\n"}, budget="device 80GiB").runs
    assert run.estimate is not None
    assert (run.estimate.reason, run.estimate.missing) == ("not-modelled", (name,))
    assert run.run.settings["model"].text == model


def test_a_model_beside_it_that_trains_is_judged() -> None:
    text = (
        f"from transformers import AutoModel\nsee = timm.create_model('resnet50').eval()\nmodel = AutoModel.from_pretrained('gpt2')\n{LOOP}"
    )
    (run,) = judge_texts({"train.py": HEAD + text, "run.sh": "python train.py\n"}, budget="device 80GiB").runs
    assert run.estimate is not None
    assert run.run.settings["model"].value == "gpt2"
    assert "timm" not in run.estimate.missing
