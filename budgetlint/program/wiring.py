"""Which sink's result reaches which: the model that a trainer trains, what was done to it on the way, its arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from budgetlint.program.around import Around
from budgetlint.program.chain import Chain, chain_of, held_by
from budgetlint.program.choices import alternatives
from budgetlint.program.follow import Followed
from budgetlint.program.lengths import lengths_of
from budgetlint.program.models import model_of, module_of
from budgetlint.program.noted import Doubt
from budgetlint.program.objects import Object
from budgetlint.program.own_loops import by_config, is_loop, loop_of, ready
from budgetlint.program.own_loss import own_loss
from budgetlint.program.places import Place
from budgetlint.program.sinks import MODELS, Sink
from budgetlint.program.steps import runs_a_step
from budgetlint.program.trained import cast_of, trained_model, trained_module
from budgetlint.program.values import Known, Open, Value

_MOST_STEPS = 24


class Wiring(NamedTuple):
    """One run of a program. ``trainer`` is None for a loop of the program's own.

    ``arguments``: the object that holds the training arguments, as it is when the trainer gets it. ``models``: the sinks that the trained
    model went through, the load last. ``done``: what was done to it by methods (`checkpointing`, `cast`, `freeze`). ``name``: the model
    where the trainer is given its name. ``closed``: nothing that is not followed had the model in its hands.
    """

    trainer: Sink | None
    arguments: Object | None
    models: tuple[Sink, ...]
    done: tuple[Sink, ...]
    others: tuple[Sink, ...]
    doubts: tuple[Doubt, ...]
    name: Known | None
    closed: bool
    facts: Mapping[str, Value] = {}
    """What calls beside these tell: of a loop of the program's own everything (`own_loops`), of any the length of its rows
    (`lengths`)."""
    anew: tuple[Place, ...] = ()
    """Where a checkpoint of an earlier run would be loaded: the run is one that starts anew."""
    own: tuple[Around, ...] = ()
    """What modules of the repository put around the model."""
    unpatched: bool = False
    """TRL's classes may have been taken before Unsloth exchanged them."""

    @property
    def has_one_arguments(self) -> bool:
        """The trainer was given this object and no other."""
        given = self.trainer.get("args", "training_args") if self.trainer is not None else None
        return given is not None and len(alternatives(given)) == 1

    def is_made(self, one: Sink) -> bool:
        """What a trainer was given, by a way that is followed, was made; of a loop its conditions tell."""
        return self.closed if self.trainer is not None else not one.conditions


def asks_for_model(wiring: Wiring) -> bool:
    """Does whoever starts the program name the model?"""
    load = wiring.models[-1] if wiring.models else None
    given = load.get("pretrained_model_name_or_path", "model_name", at=0) if load is not None else None
    if given is None and wiring.trainer is not None:
        given = wiring.trainer.get("model")
    return given is not None and any(isinstance(way.value, Open) for way in alternatives(given))


def wirings(followed: Followed) -> list[Wiring]:
    """The runs of a program: one for each trainer that it may come to, or its one loop."""
    trainers = [one for one in followed.sinks if one.kind == "trainer"]
    if trainers:
        return [_of_trainer(followed, one) for one in trainers]
    return [_of_loop(followed)] if is_loop(followed.sinks) else []


def _of_trainer(followed: Followed, trainer: Sink) -> Wiring:
    given = trainer.get("args", "training_args")
    arguments = next((way.value for way in alternatives(given) if isinstance(way.value, Object)), None) if given is not None else None
    model = trainer.get("model")
    output = arguments.attributes.get("output_dir") if arguments is not None else None
    name = model if isinstance(model, Known) and isinstance(model.value, str) else None
    found = _wiring(followed, trainer, arguments, chain_of(model, output), name=name)
    facts = {**lengths_of(followed.sinks, followed.read), **cast_of(found.done, trainer), **by_config(found.models)}
    if not found.models:
        facts |= ready(model)
    return found._replace(facts=facts, unpatched=followed.unpatched)


def _of_loop(followed: Followed) -> Wiring:
    """The model whose parameters the optimizer gets; where that cannot be told, the one that was loaded, if it is one."""
    loads = [one for one in followed.sinks if one.kind in {"load", "unsloth_load"}]
    trained = trained_model(followed.sinks)
    wrapped = [one.result for one in followed.sinks if one.kind in MODELS] if trained is None and len(loads) == 1 else [trained]
    chain = chain_of(wrapped[-1])
    module = trained_module(followed.sinks) if trained is None else None
    if module is not None and held_by(module) is not None:  # its parameters train, and those of the model among them
        chain = chain_of(module)
    elif module is not None and chain.sinks:
        chain = chain._replace(own=(_beside(module), *chain.own))
    times = runs_a_step([one for one in followed.runs if _about(one.of, {id(sink) for sink in chain.every})], followed.sinks)
    if times > 1:
        chain = chain._replace(own=(Around(doubt=f"the loop runs it {times} times a step"), *chain.own))
    found = _wiring(followed, None, None, chain, name=None)
    facts = loop_of(followed.sinks, found.doubts, followed.read, checkpoints=followed.checkpoints, typed=followed.typed)
    loss = own_loss(loads, followed.sinks, followed.runs, followed.doubts) if not found.own else {}
    return found._replace(facts={**facts, **cast_of(found.done), **loss})


def _beside(module: Object) -> Around:
    return Around(doubt=f"class {module.cls.name if module.cls is not None else module.kind} trains, and does not hold the model")


def _wiring(followed: Followed, trainer: Sink | None, arguments: Object | None, chain: Chain, *, name: Known | None) -> Wiring:
    mine = {id(one) for one in chain.every}
    before = _begins(followed, trainer)
    done = [one for one in followed.sinks if one.receiver is not None and one.number < before and _about(one.receiver, mine)]
    others = [one for one in followed.sinks if one.receiver is None and one.kind not in {*MODELS, "trainer"}]
    doubts = [one for one in followed.doubts if _concerns(one, mine, before)]
    return Wiring(
        trainer, arguments, chain.sinks, tuple(done), tuple(others), tuple(doubts), name, chain.closed,
        anew=tuple(_places(chain.anew)), own=chain.own,
    )  # fmt: skip


def _places(sinks: Iterable[Sink]) -> Iterator[Place]:
    yield from dict.fromkeys(one.place for one in sinks)


def _concerns(doubt: Doubt, mine: set[int], before: int) -> bool:
    """Of this model, or of nobody knows which; a framework's own code may be changed until it trains."""
    if doubt.is_of_all:
        return doubt.after <= before
    return doubt.about is None or _about(doubt.about, mine)


def _begins(followed: Followed, trainer: Sink | None) -> int:
    """Where a trainer begins to train: what is done to the model until then counts. One whose own code trains never says so."""
    trains = (one for one in followed.sinks if one.kind == "trains" and isinstance(one.receiver, Object))
    return next((one.number for one in trains if isinstance(one.receiver, Object) and one.receiver.made is trainer), len(followed.sinks))


def only_evaluates(followed: Followed) -> bool:
    """Does a program make trainers, and evaluate or predict with them only? Who else has one in his hands may train it."""
    trainers = [one for one in followed.sinks if one.kind == "trainer"]
    ends = followed.stopped or followed.refusals or any(one.kind == "backward" for one in followed.sinks)
    if not trainers or ends or any("train" in one.overrides for one in trainers):
        return False
    done = {one.kind for one in followed.sinks if one.kind in {"trains", "evaluates", "uses"}}
    return done == {"evaluates"} and not followed.handed


def _about(value: Value, mine: set[int]) -> bool:
    model, module = model_of(value), module_of(value)
    if model is None and module is not None:
        model = held_by(module)
    for _ in range(_MOST_STEPS):
        if model is None or model.made is None:
            return False
        if id(model.made) in mine:
            return True
        model = model_of(model.data if isinstance(model.data, Value) else None)
    return False
