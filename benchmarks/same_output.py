"""Does a rebuild change what is said? Every row of ``data`` and every finding on a corpus, before and after.

    PYTHONPATH=OLD_TREE python benchmarks/same_output.py read > before.jsonl
    python benchmarks/same_output.py read > after.jsonl             # or --corpus DIR: the runs and findings of its folders instead
    python benchmarks/same_output.py compare before.jsonl after.jsonl

A line each row: the figures of its estimate (ranges, peak, the terms of every phase by position and bytes), and apart from them its
texts; with ``--corpus`` a line each folder below DIR/files, judged on one card. ``compare`` lists each difference by kind with its
count, figures first, then findings, then texts; the exit code is 1 where there is one (``--figures``: where there is one that is no
text).

The package, its rules, the helpers beside this file and the rows are those of the tree whose ``budgetlint`` is imported. Whatever moves
between packages is taken from the helpers, which import it, so that one script reads older trees as well.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import budgetlint

TREE = Path(budgetlint.__file__).resolve().parents[1]
DATA = TREE / "benchmarks" / "data"
CARD = "device a100-80gb"
RANGES = ("need", "allocated", "reserved", "device_total", "host")
FIGURES = (
    "missing", "params", "trainable_params", "peak_phase", "limit", "usable_low", "usable_high", "static_bytes", "activation_allowance",
    "tokens_that_fit", "devices_needed", "over", "reason",
)  # fmt: skip
SHOWN = 3
"""Examples of each kind of difference."""

Said = Mapping[str, Any]


def helper(name: str) -> ModuleType:
    """A module of the tree's own ``benchmarks``."""
    folder = str(TREE / "benchmarks")
    if sys.path[0] != folder:
        sys.path.insert(0, folder)
    return importlib.import_module(name)


def with_rules_of_tree() -> None:
    """The rules and the grammar beside the package, whatever an installation of another tree maps their names to."""
    for name, folder in (("budgetlint_rules", TREE / "rules"), ("budgetlint_grammar", TREE / "grammar")):
        if (folder / "__init__.py").is_file():
            spec = importlib.util.spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
            assert spec is not None and spec.loader is not None
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])


# -- what is said ------------------------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """As JSON has it; a member of an enumeration by its value, what is no JSON by its words."""
    value = getattr(value, "value", value)
    if isinstance(value, Mapping):
        return {str(_plain(key)): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _range(found: Any) -> list[int | None]:
    return [found.low, found.bytes, found.high]


def _terms(terms: Sequence[Any]) -> list[list[Any]]:
    return [[_plain(term.bucket), term.bytes] for term in terms]


def _words(term: Any) -> str:
    return str(getattr(term, "what", None) or getattr(term, "name", ""))


def estimate_said(answer: Any) -> dict[str, Said]:
    """``figures`` and ``texts`` of one estimate, each by name."""
    figures: dict[str, Any] = {"verdict": _plain(answer.verdict), "leaning": _plain(answer.leaning)}
    figures |= {name: _range(getattr(answer, name)) for name in RANGES}
    figures |= {name: _plain(getattr(answer, name, None)) for name in FIGURES}
    figures |= {"buckets": _plain(answer.buckets), "bill": _terms(answer.bill)}
    figures |= {f"phase {one.name}": _terms(one.terms) for one in answer.phases}
    figures["forks"] = [[[_range(one.need), _plain(one.verdict)] for one in fork.readings] for fork in answer.forks]
    texts: dict[str, Any] = {f"terms of {one.name}": [one.moment, *map(_words, one.terms)] for one in answer.phases}
    texts["bill"] = [_words(term) for term in answer.bill]
    texts["because"] = [[setting.name for setting in term.because] for term in answer.bill]
    texts["assumptions"] = [one.text for one in answer.assumptions]
    texts["forks"] = [[[*one.values, one.because] for one in fork.readings] for fork in answer.forks]
    texts["opened"] = [[one.name, one.text] for one in answer.opened]
    return {"figures": figures, "texts": texts}


def _finding(one: Any) -> dict[str, Any]:
    return {
        "at": [one.location.file, one.location.line, one.location.column], "code": one.code, "severity": _plain(one.severity),
        "text": [one.message, one.help], "fixes": [[fix.title, _plain(fix.safety), len(fix.edits)] for fix in one.fixes],
    }  # fmt: skip


def _run(context: Any) -> dict[str, Any]:
    answer = context.estimate
    if answer is None:
        return {"label": context.label, "verdict": None, "reason": None, "need": None}
    return {"label": context.label, "verdict": _plain(answer.verdict), "reason": answer.reason, "need": _range(answer.need)}


# -- rows and corpus ---------------------------------------------------------------------------------------------------


def _one_line(text: str) -> dict[str, Any]:
    answer, problem = helper("accuracy_score").estimate_of(text)
    return {"budget": text, **({"figures": {}, "texts": {"problem": problem}} if answer is None else estimate_said(answer))}


def _measured(row: Any) -> dict[str, Any]:
    try:
        text = helper("simulated").simulated_budget(row["case"]) if "case" in row else helper("rows").budget_of(row)
    except helper("rows").Inexpressible as reason:
        return {"figures": {}, "texts": {"inexpressible": str(reason)}}
    return _one_line(text)


def _texts(row: Any) -> dict[str, Any]:
    """A report's run: its files under its budget, the first run's estimate and every finding."""
    found, known = helper("field_cases"), dict(row.get("files", {}))
    judged = found.judge_texts(known, budget=row["budget"] or None) if known else found.judge_texts({"case.budget": row["budget"]})
    answer = judged.runs[0].estimate if judged.runs else None
    said = estimate_said(answer) if answer else {"figures": {}, "texts": {}}
    return {**said, "findings": [_finding(one) for one in found.check(judged, found._registry(), today=found.TODAY).findings]}


def _message(row: Any) -> dict[str, Any]:
    """What `estimate --oom` says of a public message, beside its run."""
    case = helper("oom_cases")._case(row)
    best = case.explained.best
    figures = {"oom": [case.explained.certainty, case.right, case.among, best.tensor.bytes if best else None]}
    said = estimate_said(case.context.estimate) if case.context.estimate else {"figures": {}, "texts": {}}
    texts = {"oom": [case.said, *case.explained.same, *case.explained.remarks]}
    return {"figures": {**said["figures"], **figures}, "texts": {**said["texts"], **texts}}


def _lines(name: str) -> list[Any]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def rows() -> Iterator[tuple[str, Callable[[Any], dict[str, Any]], Any]]:
    """Every row of ``data`` that says a run: its name, how it is read, itself."""
    for row in (
        *_lines("measurements.jsonl"),
        *helper("probed").probed_rows(DATA),
        *helper("simulated").simulated_rows(_lines("oracle.jsonl")),
    ):
        yield row["id"], _measured, row
    for number, row in enumerate(json.loads((DATA / "oracle_grid.json").read_text(encoding="utf-8"))["runs"], 1):
        yield f"grid-{number:03d}", _one_line, row["budget"]
    for row in _lines("field_cases.jsonl"):
        for number, run in enumerate(row["runs"], 1):
            yield f"{row['id']}#{number}", _texts, run
    for row in _lines("oom_cases.jsonl"):
        yield f"oom {row['id']}", _message, row
    for number, row in enumerate(_lines("first_look_reports.jsonl"), 1):
        yield f"look-{number:03d}", _texts, row


def folder_said(folder: Path) -> dict[str, Any]:
    found, words = helper("judged"), helper("corpus_verdicts")
    judged = words.judged_in(found.DiskFiles(folder))
    report = found.check(judged, found.installed())
    return {"runs": [_run(context) for context in judged.runs], "findings": [_finding(one) for one in report.findings]}


def corpus(place: Path) -> Iterator[tuple[str, Callable[[Any], dict[str, Any]], Any]]:
    below = place / "files" if (place / "files").is_dir() else place
    return ((path.name, folder_said, path) for path in sorted(below.iterdir()) if path.is_dir() and path.name[0] != ".")


def read(place: Path | None) -> None:
    with_rules_of_tree()
    for name, reads, row in corpus(place) if place else rows():
        try:
            said = reads(row)
        except Exception as error:  # a tree that stops at a row is a difference like any other
            said = {"figures": {"stopped": f"{type(error).__name__}: {error}"}, "texts": {}}
        print(json.dumps({"id": name, **said}, ensure_ascii=False), flush=True)


# -- compare -----------------------------------------------------------------------------------------------------------


def _terms_differ(name: str, was: Any, now: Any) -> str:
    """Of a list of terms: is its sum another, are its parts, or only their order?"""
    if name != "bill" and not name.startswith("phase "):
        return ""
    if was is None or now is None:
        return ": a phase only after" if was is None else ": a phase only before"
    if sum(size for _, size in was) != sum(size for _, size in now):
        return ": another sum"
    return ": another order" if sorted(was) == sorted(now) else ": cut otherwise, same sum"


def _fields(group: str, was: Said, now: Said) -> Iterator[tuple[str, str]]:
    old, new = was.get(group, {}), now.get(group, {})
    for name in {**old, **new}:
        if old.get(name) != new.get(name):
            how = _terms_differ(name, old.get(name), new.get(name)) if group == "figures" else ""
            yield f"{group}: {name}{how}", f"{old.get(name)} -> {new.get(name)}"


def _runs(was: Said, now: Said) -> Iterator[tuple[str, str]]:
    old, new = (_numbered(side.get("runs", ()), "label") for side in (was, now))
    for label in {**old, **new}:
        if label not in old or label not in new:
            yield f"figures: a run only {'after' if label in new else 'before'}", str(label)
            continue
        for name in old[label]:
            if old[label][name] != new[label].get(name):
                yield f"figures: {name} of a run", f"{label}: {old[label][name]} -> {new[label].get(name)}"


def _numbered(items: Sequence[Said], *names: str) -> dict[Any, Said]:
    """By what identifies them; what comes twice is counted."""
    seen: Counter[str] = Counter()
    found = {}
    for item in items:
        key = json.dumps([item[name] for name in names])
        seen[key] += 1
        found[key, seen[key]] = item
    return found


def _findings(was: Said, now: Said) -> Iterator[tuple[str, str]]:
    old, new = (_numbered(side.get("findings", ()), "at", "code", "severity") for side in (was, now))
    for key in {**old, **new}:
        if key not in old or key not in new:
            yield f"findings: only {'after' if key in new else 'before'} {(new if key in new else old)[key]['code']}", key[0]
            continue
        for name, group in (("fixes", "findings"), ("text", "texts")):
            if old[key][name] != new[key][name]:
                yield f"{group}: {name} of {old[key]['code']}", f"{key[0]}: {old[key][name]} -> {new[key][name]}"


def differences(was: Said, now: Said) -> Iterator[tuple[str, str]]:
    """Kind and example of whatever differs in one row."""
    if was.get("budget") != now.get("budget"):
        yield "figures: the row's budget", f"{was.get('budget')} -> {now.get('budget')}"
    yield from _fields("figures", was, now)
    yield from _runs(was, now)
    yield from _findings(was, now)
    yield from _fields("texts", was, now)


def compare(before: Path, after: Path, *, figures: bool = False) -> int:
    old, new = ({row["id"]: row for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())} for path in (before, after))
    kinds: dict[str, list[str]] = defaultdict(list)
    for name in {**old, **new}:
        if name not in old or name not in new:
            kinds[f"figures: a row only {'after' if name in new else 'before'}"].append(name)
            continue
        for kind, example in differences(old[name], new[name]):
            kinds[kind].append(f"{name}: {example}")
    for kind in sorted(kinds, key=lambda kind: (("figures", "findings", "texts").index(kind.partition(":")[0]), -len(kinds[kind]))):
        print(f"{len(kinds[kind]):>6}  {kind}", *(f"          {example[:400]}" for example in kinds[kind][:SHOWN]), sep="\n")
    print(f"{len(old)} rows before, {len(new)} after: {sum(map(len, kinds.values()))} differences of {len(kinds)} kinds")
    return int(any(not figures or not kind.startswith("texts") for kind in kinds))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    reading = commands.add_parser("read")
    reading.add_argument("--corpus", type=Path, help="the runs and findings of each folder below DIR/files, in place of the rows")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--figures", action="store_true", help="texts are shown, and do not fail")
    asked = parser.parse_args()
    if asked.command == "compare":
        return compare(asked.before, asked.after, figures=asked.figures)
    read(asked.corpus)
    return 0


if __name__ == "__main__":
    sys.exit(main())
