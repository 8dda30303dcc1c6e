"""axolotl adds `tokens` to the vocabulary of an adapter run without training the embeddings.

The rows of new tokens start from random values. Under LoRA only what `lora_modules_to_save` or `peft_trainable_token_indices` names
can learn them.

## What it costs

axolotl stops before it loads the model: "`lora_modules_to_save` not properly set when adding new tokens".

## Failing

```yaml axolotl.yaml
base_model: meta-llama/Llama-3.1-8B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 8
lora_target_linear: true
tokens: ["<|plan|>", "<|act|>"]
```

## Passing

```yaml axolotl.yaml
base_model: meta-llama/Llama-3.1-8B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 8
lora_target_linear: true
lora_modules_to_save: [embed_tokens, lm_head]
tokens: ["<|plan|>", "<|act|>"]
```

## Sources

- axolotl 0.18.0 `loaders/utils.py` `check_model_config`.
- LLaMA-Factory 0.9.4 and 0.9.5 `model/adapter.py` `_setup_lora_tuning`: `resize_vocab` trains the embeddings by itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Sequence, Setting, Severity, written_in


def check(document: DocumentContext) -> Iterator[Finding]:
    adapter, tokens = written_in(document.reading, "adapter"), written_in(document.reading, "tokens")
    if adapter is None or not adapter.known or tokens is None or not _listed(tokens):
        return
    saved = written_in(document.reading, "lora_modules_to_save")
    if saved is not None and (not isinstance(saved.value, Sequence) or saved.value.items):
        return
    count = len(tokens.value.items)
    yield document.finding(
        tokens,
        f"{count} new {'token' if count == 1 else 'tokens'} under '{adapter.name}: {adapter.text}' without lora_modules_to_save: "
        "axolotl stops, for their embeddings would stay random",
        help="add lora_modules_to_save: [embed_tokens, lm_head] (the embedding and the head train in full), or remove tokens that the "
        "vocabulary has already",
        because=[adapter],
        numbers={"new_tokens": count},
    )


def _listed(tokens: Setting) -> bool:
    return isinstance(tokens.value, Sequence) and bool(tokens.value.items)


RULE = Rule(
    code="BL418",
    name="new-tokens-not-trainable",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=("axolotl",),
    words=("tokens",),
    harm=9.0,
)
