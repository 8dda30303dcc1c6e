"""Does the line that ``no-verdict`` prints settle the run? ``python cures_applied.py --trees DIR [--count 60] [--seed 1] [TREE ...]``

``DIR`` holds plain trees of repositories. Of every tree the remarks are asked for, ``--count`` of them are drawn, and of each the lines of
its help are put into a budget about that file, with example values in the place of NAME, FILE and dots. Counted is how often the run then
has a verdict, and what the others have in common. A help that says that nothing can be stated is counted by itself.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

DEVICE = "a100-80gb"
CUSTOM = "model custom hidden=2048 layers=16 heads=16 intermediate=8192 vocab=32000"
NEWEST = {"trl": "1.16", "transformers": "5.24", "torch": "2.13", "peft": "0.21", "accelerate": "1.15", "deepspeed": "0.18", "verl": "0.9"}
NOTHING = ("nothing to state", "the program stops there", "state what was measured", "read what changed")
LINE = re.compile(
    r"(?:with the run's own values|say in a budget (?:what it is|which it is)|or state it): ((?:[a-z]+(?: [^;|,]+)?)(?:; [a-z]+ [^;|,]+)*)"
)
TIMEOUT = 120


def _checked(tree: Path, budget: str, path: str = ".") -> dict[str, object]:
    words = [sys.executable, "-m", "budgetlint", "check", "--no-cache", "--info", "--budget", budget, "--format", "json", path]
    try:
        ran = subprocess.run(words, cwd=tree, capture_output=True, text=True, timeout=TIMEOUT)
        return dict(json.loads(ran.stdout))
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return {}


def _remarks(tree: Path) -> list[tuple[Path, str, str, str]]:
    """Tree, run, message and help of every remark."""
    found = _checked(tree, f"device {DEVICE}").get("findings", [])
    assert isinstance(found, list)
    return [(tree, one["runs"][0], one["message"], one["help"]) for one in found if one["name"] == "no-verdict"]


def statements(told: str, file: str) -> str:
    """The lines of a help as a budget has them; empty where it has none."""
    found = [part.strip() for lines in LINE.findall(told) for part in lines.split("; ")]
    kept = dict.fromkeys(one for one in found if not one.startswith(("config ", "state ", "pin ", "put ")))
    lines = []
    for one in kept:
        one = re.sub(r"(\w+)@…", lambda match: f"{match[1]}@{NEWEST.get(match[1], '1.0')}", one)
        lines.append(CUSTOM if one.startswith("model custom") else one.replace("NAME", "qwen2.5-0.5b").partition(" or ")[0])
    models = [one for one in lines if one.startswith("model ")]
    lines = [one for one in lines if one not in models[1:]]
    devices = f"device {'8x ' if 'state devices' in told else ''}{DEVICE}"
    return "; ".join([devices, f"config {_quoted(file)}", *lines]) if lines or "state devices" in told else ""


def _quoted(file: str) -> str:
    return json.dumps(file) if re.search(r"[^\w./+-]", file) else file


def outcome(tree: Path, label: str, told: str) -> str:
    if any(words in told for words in NOTHING):
        return "nothing to state, and said so"
    file = re.split(r"#\d| \[", label)[0]
    budget = statements(told, file)
    if not budget:
        return f"no line: {told[:60]}"
    runs = _checked(tree, budget, file).get("runs", [])
    assert isinstance(runs, list)
    mine = [one for one in runs if one["name"] == label] or runs
    if any(one["verdict"] != "unknown" for one in mine):
        return "a verdict"
    lacking = mine[0].get("missing") or [one["settings"][0]["name"] for one in mine[0].get("forks", [])] if mine else ["no run"]
    return f"still open: {', '.join(map(str, lacking))}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*", help="folders of --trees; all where none is named")
    given = parser.parse_args()
    trees = [given.trees / name for name in given.names] or sorted(one for one in given.trees.iterdir() if one.is_dir())
    every = [remark for tree in trees for remark in _remarks(tree)]
    drawn = random.Random(given.seed).sample(every, min(given.count, len(every)))
    counts: Counter[str] = Counter()
    for tree, label, message, told in drawn:
        found = outcome(tree, label, told)
        counts[found.partition(":")[0]] += 1
        print(f"{found}\n    {tree.name}: {message[:160]}\n    {told[:160]}", flush=True)
    tried = len(drawn) - counts["nothing to state, and said so"]
    print(f"{counts['a verdict']} of {tried} have a verdict; {dict(counts)}")


if __name__ == "__main__":
    main()
