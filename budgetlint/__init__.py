"""budgetlint: a budget language and linter for model-training configs."""

TYPE_CHECKING = False  # no import stands here, not even of the standard library: `__main__` first settles what may be imported
if TYPE_CHECKING:
    from budgetlint.judging import JudgedRun, Judgement, Remark, WrongBudget, WrongSettings, judge

__version__ = "0.1.0"

__all__ = ["JudgedRun", "Judgement", "Remark", "WrongBudget", "WrongSettings", "__version__", "judge"]


def __getattr__(name: str) -> object:
    """What launchers call is imported when it is asked for: the command line and every hook start without it."""
    if name in __all__:
        from budgetlint import judging

        found: object = getattr(judging, name)
        return found
    raise AttributeError(f"module 'budgetlint' has no attribute '{name}'")
