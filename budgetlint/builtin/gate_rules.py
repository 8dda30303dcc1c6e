"""What ``--compare-with`` finds about the gate itself."""

from __future__ import annotations

from budgetlint.base.finding import Severity
from budgetlint.builtin.file_rules import builtin_rule

GATE_LOOSENED = builtin_rule(
    "BL930",
    "gate-loosened",
    Severity.ERROR,
    """\
    With `--compare-with REV`: the change makes the gate milder by which it is judged.

    Budgets, `[tool.budgetlint]`, the baseline, waivers and measurements are taken as they were at the revision. What the change would have
    loosened is told one by one, with what the earlier gate says of the runs that it concerns: a smaller reserve, a larger card, an assert
    that is gone, a rule that is off, a longer waiver, a key of the settings. A description in a budget counts where a run is answered more
    mildly with it. So does evidence that goes: a launch that is removed, a run that had a verdict and has none now.

    A change that touches nothing but the gate is listed as information, and judged by what it says: whoever may change the gate is for the
    code host to know (CODEOWNERS). So it is with `--accept-loosening`, which a recipe gives where a label or an approval is there.

    ## What it costs

    The run that the gate was to stop is started, and ends out of memory.

    ## Failing

    At the revision:

    ```budget
    device rtx-4090; reserve 3GiB
    ```

    In the change, beside a larger batch in `train.yaml`:

    ```budget
    device rtx-4090; reserve 0GiB
    ```

    ## Passing

    The same change of the budget alone, or with `--accept-loosening`.

    ## Sources

    - `budgetlint.gate` in the project; `docs/compare.md`.
    """,
)

WAIVER_REFUSED = builtin_rule(
    "BL931",
    "waiver-refused",
    Severity.WARNING,
    """\
    With `--policy`: a waiver of the repository that the policy does not let count.

    The policy says who may waive which rules and for how long; `--policy strict` lets none count. What the waiver would have held back is
    told as if it were not there.

    ## What it costs

    Nothing: the finding behind it does, and counts.

    ## Failing

    Under a policy with `[waivers]` and `by = ["ana"]`:

    ```budget
    device t4; allow logits-spike reason="known" by=bo until=2099-01-31
    ```

    ## Passing

    ```budget
    device t4; allow logits-spike reason="known" by=ana until=2099-01-31
    ```

    ## Sources

    - `docs/policy.md` in the project.
    """,
)

GATE_RULES = (GATE_LOOSENED, WAIVER_REFUSED)
