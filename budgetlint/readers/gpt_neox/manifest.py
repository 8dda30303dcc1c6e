"""What is known of GPT-NeoX beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, Program, names

MANIFEST = Manifest(
    "gpt_neox",
    (Format("gpt_neox", "GPT-NeoX"),),
    documents=names("json yaml"),
    top=names(
        """pipe_parallel_size no_weight_tying gpt_j_residual pos_emb scaled_upper_triang_masked_softmax_fusion
        model_parallel_size num_layers hidden_size num_attention_heads seq_length checkpoint_activations checkpoint_num_layers
        partition_activations synchronize_each_layer train_iters lr_decay_iters lr_decay_style keep_last_n_checkpoints data_impl
        output_layer_init_method attention_config checkpoint_factor init_method min_lr override_lr_scheduler warmup hidden_dropout"""
    ),
    programs=(Program(r"deepy\.py( .*)?", "gpt_neox", "NeoXArgs", "GPT-NeoX deepy.py"),),
)
