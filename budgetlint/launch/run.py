"""From a launch command to the readings of its run: flags, the files they name, the launchers, the job's devices."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from budgetlint.base.record import open_record, replace
from budgetlint.catalog.device import Device
from budgetlint.catalog.devices import find_device, usable
from budgetlint.language.budget import DeviceSpec, Target
from budgetlint.launch import Launch, Request
from budgetlint.launch.readings import (
    data_parallel,
    flag_reading,
    image_size,
    launcher_readings,
    one_process,
    takes_every_device,
    takes_recipe,
    with_device_map,
)
from budgetlint.readers.launcher import FORMAT as LAUNCHER
from budgetlint.settings.run import Origin, OriginKind, Reading, Reference, Role, Setting, Settings

Resolve = Callable[[Reference], tuple[Reading, ...]]
"""The readings of the file that a reference names; none where there is no such file."""


@open_record
class Launched:
    """``readings``: the trainer's file first, then flags and launchers. ``files`` are the trainer files that the launch names;
    ``references`` are still to be followed."""

    readings: tuple[Reading, ...]
    references: tuple[Reference, ...]
    files: tuple[str, ...]
    target: Target | None


def launched(launch: Launch, resolve: Resolve, followed: Reading | None = None) -> Launched | None:
    """The run that a command starts, or None where nobody can read what it trains: a recipe that is not here says all of it.

    ``followed``: what the program makes of flags and files itself, where it is of the project and was followed."""
    trainers = (followed,) if followed is not None else _trainers(launch, resolve)
    if not trainers and launch.configs and takes_recipe(launch):
        return None
    flags = flag_reading(launch, trainers) if followed is None else None
    if not trainers and (flags is None or flags.role is not Role.TRAINER):
        return None
    mine = tuple(reading for reading in (*trainers, flags) if reading is not None)
    around = with_device_map(launcher_readings(launch), mine[0], launch.launcher)
    one = one_process(launch, mine[0])
    if one is not None and not any(reading.settings for reading in around):
        mine = (*mine[:-1], replace(mine[-1], settings=mine[-1].settings.filled([one])))
    beside = [one for one in (data_parallel(launch, (*mine, *around)), image_size(launch, mine[0])) if one is not None]
    if beside:
        mine = (*mine[:-1], replace(mine[-1], settings=mine[-1].settings.filled(beside)))
    return Launched(
        (*mine, *_with_job(launch, around)),
        tuple(_references(launch, trainers, flags, around)),
        tuple(dict.fromkeys(reading.document.path for reading in trainers)),
        target_of(launch.request),
    )


def of_unknown_program(launch: Launch) -> Launched:
    """The run of a program that nobody knows, and whose flags say nothing under a name that is known: launchers and job say on how many
    devices it runs, and which engine."""
    around = launcher_readings(launch)
    program = Reading(LAUNCHER, Role.LAUNCHER, launch.program, Settings(), consumer=launch.consumer)
    return Launched((program, *_with_job(launch, around)), tuple(_references(launch, (), None, around)), (), target_of(launch.request))


def _trainers(launch: Launch, resolve: Resolve) -> tuple[Reading, ...]:
    """Its config, else the program's own arguments; a program that has nothing but the name is another's."""
    for reference in launch.configs:
        found = tuple(reading for reading in resolve(_of(launch, reference)) if reading.role is Role.TRAINER)
        if found:
            return found[:1]
    own = (reading for reference in _script(launch) for reading in resolve(reference))
    return tuple(reading for reading in own if reading.role is Role.TRAINER and not reading.guessed)[:1]


def _folder(launch: Launch) -> str:
    return launch.folder or launch.anywhere


def _of(launch: Launch, reference: Reference) -> Reference:
    """A reference with the command that names it."""
    return replace(reference, folder=_folder(launch), program=launch.program.program)


def _script(launch: Launch) -> tuple[Reference, ...]:
    """The program itself, which may make its own training arguments."""
    name = launch.program.program
    origin = Origin(OriginKind.FLAG, launch.source, launch.span)
    return (Reference(Role.TRAINER, name, origin, _folder(launch)),) if name.endswith(".py") and not launch.elsewhere else ()


def _references(launch: Launch, trainers: Iterable[Reading], flags: Reading | None, around: Iterable[Reading]) -> Iterable[Reference]:
    """Files of the engine and the launcher; one that a flag names replaces the file's own."""
    by_flag = [*(flags.references if flags else ()), *launch.engines]
    if flags is None and any(reference.role is Role.ENGINE for trainer in trainers for reference in trainer.references):
        by_flag = []  # a program that was followed says itself which file it opens
    told = {reference.role for reference in by_flag}
    seen: set[str] = set()
    from_files = [reference for trainer in trainers for reference in trainer.references if reference.role not in told]
    for reference in (*by_flag, *from_files, *(one for reading in around for one in reading.references)):
        if reference.text not in seen:
            seen.add(reference.text)
            yield _of(launch, reference)


def _with_job(launch: Launch, around: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """What the job asks for counts where no launcher says it: the machines, and where every device is taken, the devices."""
    told = [setting for reading in around if reading.document.program != "job" for setting in reading.settings.values()]
    known = {setting.name for setting in told if setting.known}
    by_file = any(reference.role is Role.LAUNCHER for reading in around for reference in reading.references)
    is_open = any(not setting.known for setting in told if setting.name.startswith("devices"))
    open_count = is_open or (takes_every_device(launch) and not by_file)
    kept = [_trimmed(reading, known) for reading in around]
    counted = _requested(launch.request) if open_count and not known & {"devices", "devices_per_node"} else ()
    return (*kept, Reading(LAUNCHER, Role.LAUNCHER, replace(launch.program, program="job"), Settings(counted))) if counted else tuple(kept)


def _trimmed(reading: Reading, known: set[str]) -> Reading:
    if reading.document.program != "job":
        return reading
    return replace(reading, settings=Settings(setting for setting in reading.settings.values() if setting.name not in known))


def _requested(request: Request | None) -> tuple[Setting, ...]:
    if request is None or request.gpus is None or request.origin is None:
        return ()
    asked = Setting("devices_per_node", request.gpus, request.origin, str(request.gpus))
    if request.nodes is None:
        return (asked,)
    return (asked, Setting("nodes", request.nodes, request.origin, str(request.nodes)))


def target_of(request: Request | None) -> Target | None:
    """The machine that a job asks for, if the catalog knows the card."""
    if request is None or request.origin is None or not request.device:
        return None
    card = find_device(request.device)
    if not isinstance(card, Device):
        return None
    low, high, _ = usable(card)
    spec = DeviceSpec(card, request.gpus, card.nominal_bytes, low, high, request.device, request.origin)
    return Target(None, spec, request.nodes, nodes_origin=request.origin)


def on_jax(run: Launched, launch: Launch) -> Launched:
    """The run of a program that computes with JAX: no formula here is its, and one process drives every local device."""
    first, *rest = run.readings
    origin = Origin(OriginKind.FLAG, launch.source, launch.span, "program")
    named = Setting("unmodelled", ("jax",), origin, launch.program.program)
    refused = replace(first, settings=first.settings.under(Settings([named])))
    return replace(run, readings=tuple(map(_uncounted, (refused, *rest))))


def _uncounted(reading: Reading) -> Reading:
    kept = (one for one in reading.settings.values() if one.name != "devices" or one.origin.kind is not OriginKind.DERIVED)
    return replace(reading, settings=Settings(kept))
