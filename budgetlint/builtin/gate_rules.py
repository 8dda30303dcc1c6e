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

GATE_RULES = (GATE_LOOSENED,)
