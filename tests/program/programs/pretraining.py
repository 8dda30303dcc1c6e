import argparse
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class GPTConfig:
    layers: int = 2
    width: int = 64
    vocab: int = 256
    block: int = 128


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.attn, self.mlp = nn.Linear(c.width, c.width), nn.Sequential(nn.Linear(c.width, 4 * c.width), nn.GELU())


class GPT(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.emb = nn.Embedding(c.vocab, c.width)
        self.blocks = nn.ModuleList([Block(c) for _ in range(c.layers)])

    def configure(self, lr, decay=0.1):
        groups = [{"params": list(self.parameters()), "weight_decay": decay}]
        return torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.95))


parser = argparse.ArgumentParser()
parser.add_argument("--layers", type=int)
parser.add_argument("--batch", type=int, default=12)
a = parser.parse_args()
c = GPTConfig(**({"layers": a.layers} if a.layers else {}))
model = torch.compile(GPT(c).to("cuda", dtype=torch.bfloat16))
optimizer = model.configure(lr=6e-4)
loader = DataLoader(TensorDataset(torch.randint(0, c.vocab, (8, c.block))), batch_size=a.batch, drop_last=True)
for (x,) in loader:
    loss = model(x).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
