from transformers import AutoModelForCausalLM


class Net:
    half = True


def build(name):
    import config

    return AutoModelForCausalLM.from_pretrained(name, num_hidden_layers=config.MICRO * 2)
