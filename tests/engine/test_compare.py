"""What a change costs, on answers made by hand: runs paired, terms paired, files renamed, findings known; sums that hold always."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgetlint.base.finding import Confidence, Finding, Severity
from budgetlint.base.source import Location
from budgetlint.compare.bills import compared, new_name, paired_terms, run_change
from budgetlint.compare.findings import new_findings
from budgetlint.files.git_renames import renamed_files
from budgetlint.memory.estimate import Verdict
from budgetlint.memory.term import Bucket, Term
from budgetlint.results.comparison import Side
from budgetlint.results.verdict import RunVerdict
from budgetlint.settings.run import Origin, OriginKind, Setting

FITS, NOT = Verdict.FITS, Verdict.DOES_NOT_FIT


def setting(name: str, value: object) -> Setting:
    return Setting(name, value, Origin(OriginKind.COMMAND_LINE, note="--set"), str(value))


def side(name: str, *terms: Term, target: str | None = None, cell: str = "", verdict: Verdict = FITS, **settings: object) -> Side:
    need = sum(term.bytes for term in terms)
    found = RunVerdict(name, target, cell, verdict, need, 100, (), "step", terms)
    return Side(found, {key: setting(key, value) for key, value in settings.items()})


PAIRS = [
    ("by label", [("a", "t", "x")], [("a", "t", "x")], ["changed a@t[x]"]),
    ("a target that got a name", [("a", None, "")], [("a", "t", "")], ["changed a@t"]),
    ("a target with another name", [("a", "t", "")], [("a", "u", "")], ["changed a@u"]),
    ("a cell with another text", [("a", "t", "seq=1")], [("a", "t", "seq=2")], ["changed a@t[seq=2]"]),
    ("a target more", [("a", "t", "")], [("a", "t", ""), ("a", "u", "")], ["changed a@t", "added a@u"]),
    ("which of two is not told", [("a", None, "")], [("a", "t", ""), ("a", "u", "")], ["added a@t", "added a@u", "removed a"]),
    ("another run", [("a", None, "")], [("b", None, "")], ["added b", "removed a"]),
    ("a renamed file", [("old.yaml", None, "")], [("new.yaml", None, "")], ["changed new.yaml"]),
    ("a document of it", [("old.yaml#2", None, "")], [("new.yaml#2", None, "")], ["changed new.yaml#2"]),
    ("a run of a budget on it", [("r:old.yaml", None, "")], [("r:new.yaml", None, "")], ["changed r:new.yaml"]),
]


@pytest.mark.parametrize(("before", "after", "told"), [row[1:] for row in PAIRS], ids=[row[0] for row in PAIRS])
def test_runs_are_paired(before, after, told: list[str]) -> None:
    was = [side(name, Term(Bucket.WEIGHTS, 1, "w"), target=target, cell=cell) for name, target, cell in before]
    now = [side(name, Term(Bucket.WEIGHTS, 2, "w"), target=target, cell=cell) for name, target, cell in after]
    found = compared(was, now, "main", "0", {"old.yaml": "new.yaml"})
    assert sorted(f"{run.kind} {run.now.label}" for run in found.runs) == sorted(told)


def test_a_name_without_the_file_stays() -> None:
    assert [new_name(name, {"a": "b"}) for name in ("a", "a#1", "x:a", "ab", "r")] == ["b", "b#1", "x:b", "ab", "r"]


def test_what_broke_stands_first_then_what_costs_most() -> None:
    def at(name: str, size: int, verdict: Verdict) -> Side:
        return side(name, Term(Bucket.WEIGHTS, size, "w"), verdict=verdict)

    before = [at("small", 1, FITS), at("large", 1, FITS), at("bad", 8, NOT), at("breaks", 1, FITS), at("gone", 9, NOT), at("same", 1, FITS)]
    after = [at("small", 2, FITS), at("large", 9, FITS), at("bad", 9, NOT), at("breaks", 2, NOT), at("same", 1, FITS)]
    found = compared(before, after, "main", "0")
    assert [run.now.name for run in found.runs] == ["breaks", "bad", "large", "small", "gone"]
    assert (found.unchanged, found.runs[0].broke, found.runs[1].broke) == (1, True, False)


def test_a_term_is_told_with_what_changed_of_what_sets_it() -> None:
    def bill(batch: int) -> tuple[Term, ...]:
        micro, model = setting("micro_batch", batch), setting("model", "m")
        return (
            Term(Bucket.WEIGHTS, 10, "weights.base", (model,)),
            Term(Bucket.ACTIVATIONS, 8 * batch, "layers.mlp.up", (model, micro)),
            Term(Bucket.ALLOCATOR, batch, "allocator.fragmentation"),
        )

    change = run_change(side("a", *bill(1), micro_batch=1, model="m"), side("a", *bill(3), micro_batch=3, model="m"))
    assert [(term.difference, [cause.name for cause in term.causes]) for term in change.terms] == [(16, ["micro_batch"]), (2, [])]
    assert change.difference == 18


TERMS = [
    ("the same ids", ["a.1", "a.2"], ["a.2", "a.1"], [("a.2", "a.2"), ("a.1", "a.1")]),
    ("made again", ["layers.mlp.up"], ["recomputed.mlp.up"], [("layers.mlp.up", "recomputed.mlp.up")]),
    ("another optimizer", ["adam.exp_avg"], ["lion_32bit.exp_avg"], [("adam.exp_avg", "lion_32bit.exp_avg")]),
    ("another tensor", ["layers.mlp.up"], ["layers.mlp.gate"], [(None, "layers.mlp.gate"), ("layers.mlp.up", None)]),
]


@pytest.mark.parametrize(("before", "after", "pairs"), [row[1:] for row in TERMS], ids=[row[0] for row in TERMS])
def test_terms_are_paired(before: list[str], after: list[str], pairs) -> None:
    was, now = ([Term(Bucket.BUFFERS, 1, slug, (setting("c", 1),)) for slug in slugs] for slugs in (before, after))
    assert [(one and one.id, other and other.id) for one, other in paired_terms(was, now)] == pairs


TERM = st.builds(
    Term,
    st.sampled_from(list(Bucket)),
    st.integers(-(2**40), 2**40),
    st.sampled_from(["x", "x.1", "x.2", "y.z", "y"]),
    st.lists(st.builds(setting, st.sampled_from("abc"), st.integers(0, 2)), max_size=2).map(tuple),
)


@given(st.lists(TERM, max_size=12), st.lists(TERM, max_size=12), st.integers(0, 3), st.integers(0, 3))
def test_differences_of_terms_add_up_to_that_of_the_need(before: list[Term], after: list[Term], was: int, now: int) -> None:
    change = run_change(side("r", *before, a=was), side("r", *after, a=now))
    assert sum(term.difference for term in change.terms) == change.difference
    assert all(term.difference for term in change.terms)


RENAMED = [
    ("the same text", {"a.yaml": "one\ntwo\n"}, {"b.yaml": "one\ntwo\n"}, {"a.yaml": "b.yaml"}),
    ("most of it", {"a.yaml": "one\ntwo\nthree\n"}, {"b.yaml": "one\ntwo\nfour\n"}, {"a.yaml": "b.yaml"}),
    ("too little", {"a.yaml": "one\ntwo\nthree\n"}, {"b.yaml": "one\n2\n3\n"}, {}),
    ("another kind of file", {"a.yaml": "one\ntwo\nmore\n"}, {"b.json": "one\ntwo\n"}, {}),
    ("the likest", {"a.yaml": "1\n2\n3\n4\n"}, {"b.yaml": "1\n2\n3\n", "c.yaml": "1\n2\n"}, {"a.yaml": "b.yaml"}),
    ("each once", {"a.yaml": "1\n2\n", "b.yaml": "1\n2\n"}, {"c.yaml": "1\n2\n"}, {"a.yaml": "c.yaml"}),
    ("empty files", {"a.yaml": ""}, {"b.yaml": ""}, {}),
]


@pytest.mark.parametrize(("gone", "come", "names"), [row[1:] for row in RENAMED], ids=[row[0] for row in RENAMED])
def test_renamed_files(gone, come, names) -> None:
    assert renamed_files(gone, come) == names


def finding(code: str = "BL205", file: str = "a.yaml", severity: Severity = Severity.ERROR, line: int = 1, runs: str = "") -> Finding:
    at = Location(file, line, 1, line, 1)
    return Finding(code, "a-rule", severity, Confidence.HIGH, "wrong", at, key="k", value="v", runs=tuple(runs.split()))


WARNING = Severity.WARNING
KNOWN = [
    ("the same", [finding()], [finding()], (0, 1, 0)),
    ("on another line", [finding()], [finding(line=9)], (0, 1, 0)),
    ("in another file", [finding()], [finding(file="b.yaml")], (1, 0, 1)),
    ("in a file with another name", [finding(file="old.yaml")], [finding(file="new.yaml")], (0, 1, 0)),
    ("once more", [finding()], [finding(), finding(line=2)], (1, 1, 0)),
    ("once less", [finding(), finding(line=2)], [finding()], (0, 1, 1)),
    ("more severe", [finding(severity=WARNING)], [finding()], (1, 0, 0)),
    ("less severe", [finding()], [finding(severity=WARNING)], (0, 1, 0)),
    ("of another run too", [finding(runs="a")], [finding(runs="a b")], (0, 1, 0)),
    ("of another run that does not fit", [finding("BL101", runs="a")], [finding("BL101", runs="a b")], (1, 0, 0)),
    ("of a run with another name", [finding("BL101", runs="was")], [finding("BL101", runs="now")], (0, 1, 0)),
    ("repaired", [finding()], [], (0, 0, 1)),
    ("a crash", [finding("BL999")], [finding("BL999")], (1, 0, 0)),
]


@pytest.mark.parametrize(("before", "after", "counts"), [row[1:] for row in KNOWN], ids=[row[0] for row in KNOWN])
def test_which_findings_are_new(before: list[Finding], after: list[Finding], counts: tuple[int, int, int]) -> None:
    fresh, known, fixed = new_findings(before, after, {"was": "now"}, {"old.yaml": "new.yaml"})
    assert (len(fresh), known, fixed) == counts
