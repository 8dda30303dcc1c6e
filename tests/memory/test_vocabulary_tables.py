"""What the two ends of a model cost beyond the rule of thumb: states that stay wide, tables that train beside an adapter."""

from __future__ import annotations

from budgetlint.memory.term import Bucket
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext

TABLE = 151_936 * 896
"""Qwen2.5-0.5B: one tied table."""

COMMON = """dataset_name: a/b
dtype: bfloat16
per_device_train_batch_size: 1
max_length: 512
learning_rate: 0.00001
num_train_epochs: 1
"""
FULL = "model_name_or_path: Qwen/Qwen2.5-0.5B\noptim: adamw_bnb_8bit\n" + COMMON
ADAPTER = "model_name_or_path: meta-llama/Llama-3.1-8B\nuse_peft: true\n" + COMMON


def judged(text: str, stack: str) -> RunContext:
    (context,) = judge_texts({"train.yaml": text}, budget=f"device h200\nconfig train.yaml\nstack {stack}").runs
    return context


def bucket(context: RunContext, which: Bucket) -> int:
    assert context.estimate is not None
    return context.estimate.buckets[which]


def test_the_trainer_keeps_an_embeddings_states_in_32_bit_under_an_8_bit_optimizer() -> None:
    """Two moments of 4 bytes where two of 1 byte and an fp32 maximum for each block of 256 were."""
    old, new = (bucket(judged(FULL, f"transformers@{version} trl@1.16 torch@2.13"), Bucket.OPTIMIZER) for version in ("4.50.0", "4.53.0"))
    assert new - old == 8 * TABLE - (2 * TABLE + 2 * 4 * TABLE // 256)


def test_a_saved_table_has_the_dtype_of_the_base() -> None:
    """A copy, its gradient and two states of 2 bytes each for 128,256 x 4,096 elements; at most 4 bytes each."""
    stack, table = "transformers@5.24 trl@1.16 torch@2.13", 128_256 * 4096
    without, beside = judged(ADAPTER, stack), judged(ADAPTER + "lora_modules_to_save: [lm_head]\n", stack)
    for which, size in ((Bucket.WEIGHTS, 2), (Bucket.GRADIENTS, 2), (Bucket.OPTIMIZER, 4)):
        assert bucket(beside, which) - bucket(without, which) == size * table
    assert beside.estimate is not None and beside.estimate.need.high is not None
    assert beside.estimate.need.high - beside.estimate.need.bytes > 8 * table


def test_lora_reaches_the_first_dense_layers_of_a_mixture() -> None:
    """DeepSeek-V2-Lite: 27 layers, the first of them dense; hidden 2,048, intermediate 10,944, 2 shared experts of 1,408."""
    from budgetlint.resolve.runs import judge_texts

    def trained(targets: str) -> int:
        text = f"model deepseek-v2-lite; lora r=8 targets={targets}; batch 1; seq 512; device h200; stack transformers@5.24 peft@0.20"
        (run,) = judge_texts({}, budget=text).runs
        return run.estimate.trainable_params

    assert trained("[o_proj]") == 27 * 8 * (2048 + 2048)
    assert trained("[down_proj]") == 8 * (10944 + 2048) + 26 * 8 * (2 * 1408 + 2048)  # the shared experts have one too


def test_what_is_not_quantised_has_the_dtype_it_is_loaded_in() -> None:
    """Llama-3.1-8B: two tables of 128,256 x 4,096 and 65 norms of 4,096 beside 4-bit linears; bitsandbytes' compute dtype, fp32 unless it
    is said, is what the linears are unpacked to (transformers 5.24.0 utils/quantization_config.py)."""
    script = (
        "import torch\nfrom peft import LoraConfig, get_peft_model\n"
        "from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments\n"
        "packed = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='nf4')\n"
        "model = AutoModelForCausalLM.from_pretrained('meta-llama/Llama-3.1-8B', quantization_config=packed, dtype=torch.{})\n"
        "model = get_peft_model(model, LoraConfig(r=8, target_modules=['q_proj']))\n"
        "args = TrainingArguments(output_dir='out', per_device_train_batch_size=1, bf16=True)\n"
        "Trainer(model=model, args=args, train_dataset=data).train()\n"
    )
    for dtype, size in (("bfloat16", 2), ("float32", 4)):
        budget = "device h200; config train.py; seq 512; stack transformers@5.24"
        (run,) = judge_texts({"train.py": script.format(dtype)}, budget=budget).runs
        assert run.estimate is not None
        (rest,) = (term.bytes for term in run.estimate.phases[0].terms if term.id == "weights.unquantised")
        assert rest == size * (2 * 128_256 * 4_096 + 65 * 4_096)


def test_beside_a_recipe_that_is_named_it_has_the_dtype_of_the_arithmetic() -> None:
    """A budget names a recipe of what trains: two tables of 32,768 x 4,096 and 65 norms of 4,096 stay in bf16, unless a dtype is stated."""
    declared = (
        "device l4; declared; model mistral-7b-v0.3; quant nf4; lora r=16 targets=all; precision bf16-autocast; optimizer adamw8bit; "
    )
    (run,) = judge_texts({}, budget=declared + "batch 1; seq 512; recompute full; attention sdpa; loss full").runs
    assert run.estimate is not None
    (rest,) = (term.bytes for term in run.estimate.phases[0].terms if term.id == "weights.unquantised")
    assert rest == 2 * (2 * 32_768 * 4_096 + 65 * 4_096)
