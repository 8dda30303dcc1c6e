from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


class Meta(type):
    def __call__(cls, *args, **kwargs):
        made = super().__call__(*args, **kwargs)
        made.batch *= 2
        return made


class Options(dict):
    def __getattr__(self, name):
        return self.get(name)

    def __missing__(self, key):
        return f"no {key}"


class Job(metaclass=Meta):
    kinds = {}
    __slots__ = ("batch", "_lr")

    def __init__(self, batch=4):
        self.batch = batch
        self._lr = None

    def __init_subclass__(cls, kind=None, **kwargs):
        super().__init_subclass__(**kwargs)
        Job.kinds[kind] = cls

    @property
    def lr(self):
        return self._lr or 1e-4

    @lr.setter
    def lr(self, value):
        self._lr = value / 10

    @staticmethod
    def named(size):
        return f"org/base-{size}"

    @classmethod
    def small(cls):
        return cls(batch=1)

    def __call__(self, *, size="1b"):
        return self.named(size)

    def __getitem__(self, key):
        return {"accum": self.batch * 3}[key]

    def __len__(self):
        return 5

    def __contains__(self, what):
        return what == "bf16"

    def __add__(self, other):
        return type(self)(self.batch + other)

    def __bool__(self):
        return False


class Tuned(Job, kind="tuned"):
    pass


job = Job.kinds["tuned"].small() + 3
job.lr = 1e-3
options = Options(seed=3)
Trainer(
    AutoModelForCausalLM.from_pretrained(job(size="3b"), revision=options["nothing"]),
    TrainingArguments(
        "out",
        per_device_train_batch_size=job.batch,
        gradient_accumulation_steps=job["accum"],
        learning_rate=job.lr,
        max_steps=len(job),
        bf16="bf16" in job,
        seed=options.seed,
        run_name=options.nothing or "none",
        data_seed=1 if job else 0,
    ),
).train()
