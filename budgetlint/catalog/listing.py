"""The tables of ``budgetlint devices``, ``models`` and ``optimizers``: text for people, a mapping for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from budgetlint.base.record import record
from budgetlint.base.units import exact, gib
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.context import context_row, cublas_workspace
from budgetlint.catalog.device import Device
from budgetlint.catalog.names import NoMatch
from budgetlint.catalog.optimizer import Optimizer, StateTensor


@record
class Listing:
    """``text`` for people, ``data`` for ``--format json``; ``problem`` says why a name has no row, "" where it has."""

    text: str
    data: dict[str, object]
    problem: str = ""


def devices(name: str | None = None) -> Listing:
    from budgetlint.catalog.devices import all_devices, find_device, with_word

    if name is None:
        return _several_devices(all_devices())
    found = find_device(name)
    if isinstance(found, NoMatch) and not found.candidates:
        several = _of_machine(name) or with_word(name)
        return _several_devices(several) if several else _one("device", found, Device, _device_text, _device_data)
    return _one("device", found, Device, _device_text, _device_data)


def _several_devices(several: Sequence[Device]) -> Listing:
    rows = [(d.name, gib(d.usable_min) if d.usable_min else "-", d.label, _capability(d), d.official) for d in several]
    return Listing(_table(("name", "usable", "label", "sm", "official name"), rows), _rows("devices", map(_device_data, several)))


def _of_machine(name: str) -> tuple[Device, ...]:
    """The cards of a machine that a cloud rents by this name."""
    from budgetlint.catalog.devices import find_device
    from budgetlint.catalog.machines import find_machine

    machine = find_machine(name)
    found = (find_device(card) for _, card in machine.ways) if machine else ()
    return tuple(device for device in found if isinstance(device, Device))


def models(name: str | None = None) -> Listing:
    from budgetlint.catalog.ledger import parameter_count
    from budgetlint.catalog.models import all_models, find_model

    if name is not None:
        return _one("model", find_model(name), Architecture, _model_text, _model_data)
    rows = [(m.name, f"{parameter_count(m):,}", m.family, m.hub_id) for m in all_models()]
    return Listing(_table(("name", "parameters", "family", "hub id"), rows), _rows("models", map(_model_data, all_models())))


def optimizers(name: str | None = None) -> Listing:
    from budgetlint.catalog.optimizers import all_optimizers, find_optimizer

    if name is not None:
        return _one("optimizer", find_optimizer(name), Optimizer, _optimizer_text, _optimizer_data)
    rows = [(o.name, _bytes_per_parameter(o), o.decay, o.library, ", ".join(o.spellings[:2])) for o in all_optimizers()]
    header = ("name", "bytes/param", "decay", "library", "also written")
    return Listing(_table(header, rows), _rows("optimizers", map(_optimizer_data, all_optimizers())))


def _one(kind: str, found: Any, row: type, text: Callable[[Any], str], data: Callable[[Any], dict[str, object]]) -> Listing:
    if isinstance(found, NoMatch):
        return Listing("", {}, _no_row(kind, found))
    assert isinstance(found, row)
    return Listing(text(found), {"version": 1, kind: data(found)})


def _no_row(kind: str, missing: NoMatch) -> str:
    if missing.candidates:
        return f"'{missing.text}' may be any of these {kind}s: {', '.join(missing.candidates)}"
    near = f"; did you mean {', '.join(missing.suggestions)}?" if missing.suggestions else ""
    return f"no {kind} '{missing.text}' in the catalog{near}"


def _rows(key: str, rows: Iterable[Mapping[str, object]]) -> dict[str, object]:
    return {"version": 1, key: list(rows)}


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[index]) for row in (header, *rows)) for index in range(len(header))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in (header, *rows))
    return "\n".join(lines) + "\n"


def _facts(facts: Iterable[tuple[str, object]]) -> str:
    kept = [(key, str(value)) for key, value in facts if value not in (None, "", ())]
    width = max(len(key) for key, _ in kept)
    return "".join(f"{key.ljust(width)}  {value}\n" for key, value in kept)


# -- devices ----------------------------------------------------------------------------------------------------------


def _capability(device: Device) -> str:
    return ".".join(map(str, device.compute_capability)) if device.compute_capability else device.arch or "-"


def _device_text(device: Device) -> str:
    context, least = context_row(device), device.usable_min
    facts: list[tuple[str, object]] = [
        (device.name, device.official),
        ("label", device.label),
        ("usable", _usable(device) if least else "said by 'host'"),
        ("capability", _capability(device)),
        (
            "bf16, tf32, fp8",
            ", ".join("unknown" if flag is None else "yes" if flag else "no" for flag in (device.bf16, device.tf32, device.fp8)),
        ),
        ("context", f"{gib(context.low)} to {gib(context.high)} ({context.source})" if device.vendor == "nvidia" else ""),
        ("cuBLAS workspace", exact(cublas_workspace(device)) if device.vendor == "nvidia" else ""),
        ("also", ", ".join(device.aliases)),
        ("note", device.note),
    ]
    readings = ((f"read ({total.kind}{_ecc(total.ecc)})", f"{exact(total.bytes)}: {'; '.join(total.sources)}") for total in device.totals)
    return _facts([*facts, *readings])


def _usable(device: Device) -> str:
    origin = "as read" if device.usable_exact else f"from the {device.usable_from} total x 0.985: not read"
    if device.usable_min == device.usable_max:
        return f"{gib(device.usable_min)} ({exact(device.usable_min)}, {origin})"
    return f"{gib(device.usable_min)} to {gib(device.usable_max)} ({device.usable_min:,} to {exact(device.usable_max)}, {origin})"


def _ecc(state: bool | None) -> str:
    return "" if state is None else ", ECC on" if state else ", ECC off"


def _device_data(device: Device) -> dict[str, object]:
    return {
        "name": device.name,
        "official": device.official,
        "vendor": device.vendor,
        "label": device.label,
        "capacity_bytes": device.nominal_bytes,
        "usable_bytes": device.usable_min,
        "usable_max_bytes": device.usable_max,
        "usable_exact": device.usable_exact,
        "compute_capability": list(device.compute_capability) if device.compute_capability else None,
        "bf16": device.bf16,
        "tf32": device.tf32,
        "fp8": device.fp8,
        "unified": device.unified,
        "aliases": list(device.aliases),
        "totals": [{"from": t.kind, "bytes": t.bytes, "ecc": t.ecc, "note": t.note, "sources": list(t.sources)} for t in device.totals],
        "note": device.note,
    }


# -- models -----------------------------------------------------------------------------------------------------------

_SIZES = (
    "hidden",
    "layers",
    "heads",
    "kv_heads",
    "head_dim",
    "intermediate",
    "vocab",
    "tied",
    "max_positions",
    "experts",
    "experts_per_token",
    "moe_intermediate",
    "sliding_window",
    "checkpoint_dtype",
)


def _model_text(model: Architecture) -> str:
    from budgetlint.catalog.ledger import active_parameters, parameter_count
    from budgetlint.catalog.models import verified
    from budgetlint.catalog.targets import module_names

    total, active = parameter_count(model), active_parameters(model)
    checked = {"code": "transformers 5.24.0 counts the same", "published": "read in a public file"}
    facts: list[tuple[str, object]] = [
        (model.name, model.hub_id),
        ("family", f"{model.family} ({model.kind})"),
        ("parameters", f"{total:,}"),
        ("active", f"{active:,} a token" if active != total else ""),
        ("vision tower", _tower(model)),
        ("checked", ", ".join(checked[how] for how in verified(model.name)) or "not checked against another count"),
        *((size, getattr(model, size)) for size in _SIZES),
        ("modules", ", ".join(dict.fromkeys(leaf for leaves in module_names(model).values() for leaf in leaves))),
        ("also", ", ".join(model.aliases)),
        ("note", model.note),
        *(("source", source) for source in model.sources),
    ]
    return _facts(facts)


def _tower(model: Architecture) -> str:
    """The tower in front of a decoder, with what it and the projector hold."""
    vision = model.part("vision")
    if vision is None or model.kind != "decoder":
        return ""
    from budgetlint.catalog.ledger import weight_tensors

    sizes = [sum(one.elements for one in weight_tensors(model) if one.where == place) for place in ("vision", "projector")]
    blocks = f"{vision.layers} blocks of {vision.hidden:,}, patches of {vision.number('patch_size')}"
    return f"{blocks}: {sizes[0]:,} parameters; projector {sizes[1]:,}"


def _model_data(model: Architecture) -> dict[str, object]:
    from budgetlint.catalog.ledger import active_parameters, parameter_count

    return {
        "name": model.name,
        "hub_id": model.hub_id,
        "family": model.family,
        "kind": model.kind,
        "params": parameter_count(model),
        "active_params": active_parameters(model),
        **{size: getattr(model, size) for size in _SIZES},
        "aliases": list(model.aliases),
        "sources": list(model.sources),
        "note": model.note,
    }


# -- optimizers -------------------------------------------------------------------------------------------------------


def _bytes_per_parameter(optimizer: Optimizer) -> str:
    """Bytes of state a parameter of a 4096 x 4096 matrix costs, its own dtype being fp32."""
    from budgetlint.catalog.optimizers import state_bytes_of

    return f"{state_bytes_of(optimizer, ((4096, 4096, 1),), 4) / 4096**2:.3f}"


def _state(state: StateTensor) -> str:
    dtype = "like the parameter" if state.dtype == "state" else state.dtype
    parts = [f"{state.name}: {dtype}", state.layout if state.layout != "full" else "", f"x {state.scale:g}" if state.scale != 1 else ""]
    parts += [
        f"rank {state.rank}" if state.rank else "",
        f"block {state.block}, below {state.small:,} {state.small_dtype}" if state.block else "",
    ]
    return ", ".join(part for part in parts if part)


def _optimizer_text(optimizer: Optimizer) -> str:
    where = "host memory" if optimizer.host else "managed memory, may leave the device" if optimizer.paged else ""
    facts: list[tuple[str, object]] = [
        (optimizer.name, optimizer.library),
        ("bytes/parameter", f"{_bytes_per_parameter(optimizer)} (4096 x 4096, fp32)"),
        *(("state", _state(state)) for state in optimizer.states),
        ("states in", where),
        (
            "weight decay",
            optimizer.decay + (f", default {optimizer.default_weight_decay:g}" if optimizer.default_weight_decay is not None else ""),
        ),
        ("step", optimizer.impl or ("foreach keeps a list the size of one state" if optimizer.step_temp else "")),
        ("gradients", "" if optimizer.keeps_gradients else "not kept"),
        ("also", ", ".join(optimizer.spellings)),
        ("note", optimizer.note),
        *(("source", source) for source in optimizer.sources),
    ]
    return _facts(facts)


def _optimizer_data(optimizer: Optimizer) -> dict[str, object]:
    return {
        "name": optimizer.name,
        "library": optimizer.library,
        "decay": optimizer.decay,
        "default_weight_decay": optimizer.default_weight_decay,
        "paged": optimizer.paged,
        "host": optimizer.host,
        "keeps_gradients": optimizer.keeps_gradients,
        "bytes_per_param": float(_bytes_per_parameter(optimizer)),
        "states": [
            {"name": s.name, "dtype": s.dtype, "layout": s.layout, "scale": s.scale, "block": s.block, "small": s.small, "rank": s.rank}
            for s in optimizer.states
        ],
        "spellings": list(optimizer.spellings),
        "sources": list(optimizer.sources),
        "note": optimizer.note,
    }
