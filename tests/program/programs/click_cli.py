import click
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


@click.group()
@click.option("--debug/--no-debug", default=False)
@click.pass_context
def cli(ctx, debug):
    ctx.obj = {"debug": debug}


@cli.command()
@click.argument("model")
@click.option("--batch-size", "-b", default=4, show_default=True)
@click.option("--lr", type=float, default=1e-4)
@click.option("--accum", type=click.IntRange(1, 64), default=1)
@click.option("--precision", type=click.Choice(["bf16", "fp16", "no"]), default="bf16")
@click.option("--layer", "layers", multiple=True, type=int)
@click.option("--ckpt", is_flag=True, envvar="TRAIN_CKPT")
@click.pass_obj
def train(obj, model, batch_size, lr, accum, precision, layers, ckpt):
    args = TrainingArguments(
        "out",
        per_device_train_batch_size=1 if obj["debug"] else batch_size,
        learning_rate=lr,
        gradient_accumulation_steps=accum,
        gradient_checkpointing=ckpt,
        **({} if precision == "no" else {precision: True}),
    )
    Trainer(model=AutoModelForCausalLM.from_pretrained(model, num_hidden_layers=sum(layers) or None), args=args).train()


if __name__ == "__main__":
    cli()
