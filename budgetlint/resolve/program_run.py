"""What a followed program comes to, started in one way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from budgetlint.base.record import open_record, replace
from budgetlint.documents import Loader
from budgetlint.files.wanted import PYTHON_SUFFIX
from budgetlint.settings.consumer import LAUNCH, OPENED, Consumer

if TYPE_CHECKING:
    from budgetlint.program.document import Told
    from budgetlint.program.follow import Followed
    from budgetlint.program.modules import Trees
    from budgetlint.program.noted import Doubt
    from budgetlint.program.places import Place
    from budgetlint.settings.program import FollowedProgram
    from budgetlint.settings.run import Reading

REQUIRED = "is required"
"""What a parser says of an option that nobody gives (`budgetlint.program.packages.parsers`)."""


@open_record
class ProgramRun:
    """What a program comes to: one reading for each way that it may train, and the files that it opens."""

    path: str
    readings: tuple[Reading, ...]
    followed: Followed
    trainings: int
    """How many trainings it comes to, read or not."""
    asks_for_model: bool = False
    """Does whoever starts it name the model?"""
    told: Consumer | None = None

    told_of: tuple[Told, ...] = ()
    """Of each reading, what the nodes of its document were made of."""
    stops_as_told: bool = False
    """Is every way in which it stops before it trains told (`Program.refusals`)? Then its run is the one that was meant."""
    doubts: tuple[tuple[Doubt, ...], ...] = ()
    """Of each reading, what had the model or a framework in its hands and was not followed."""
    facts: FollowedProgram | None = None
    """What it shows beside its settings: where it stops is so however many trainings it comes to."""
    anew: tuple[tuple[Place, ...], ...] = ()
    """Of each reading, where a checkpoint of an earlier run would be loaded."""
    whens: tuple[str, ...] = ()
    """Of each reading, the condition of its training, where they are ways of which one is taken."""
    rounds: int = 1
    """How often it trains one after another, each alike: then one of them is its reading."""
    trees: Trees | None = None
    """The trees that it was followed on: what it met are nodes of these, also where the run is remembered."""
    asked_for: frozenset[str] = frozenset()
    """`FollowedProgram.asked_for`."""
    only_evaluates: bool = False
    """Does it evaluate or predict with its trainer, and train nothing?"""

    @property
    def reading(self) -> Reading | None:
        """The one run, where the program was followed to its end and would not stop before it."""
        found = self.each
        return found[0] if len(found) == 1 else None

    @property
    def each(self) -> tuple[Reading, ...]:
        """The one run, or one for each of several ways of which a start takes one; none where it is not followed to its end."""
        is_meant = not self.is_refused or self.stops_as_told
        if self.followed.stopped or not is_meant or len(self.readings) != self.trainings:
            return ()
        return self.readings if self.trainings == 1 or all(one.consumer is not None and one.consumer.when for one in self.readings) else ()

    @property
    def is_refused(self) -> bool:
        """Does the program stop at what it is given? Who starts it gives what is required beside a file that nobody names."""
        is_launched = self.told is not None and self.told.evidence == LAUNCH
        return any(is_launched or not one.condition.endswith(REQUIRED) for one in self.followed.refusals)

    @property
    def is_open(self) -> bool:
        """Nothing starts it, and who starts it names the model: no run that anybody means."""
        return self.told is not None and self.told.evidence == OPENED and self.asks_for_model

    @property
    def knows_model(self) -> bool:
        models = [one.settings.get("model") or one.settings.get("model_config") for one in self.each]
        return bool(models) and all(model is not None and model.known for model in models)

    @property
    def opened(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for name, _ in self.followed.opened))

    def opener(self, path: str) -> Consumer | None:
        """The program as what reads a file: where the path stands, if nothing starts it."""
        at = next((named.place for name, named in self.followed.opened if name == path), None)
        if self.told is None or at is None or self.told.evidence == LAUNCH or not at.path.endswith(PYTHON_SUFFIX):
            return self.told
        return replace(self.told, file=at.path, line=at.line)

    def loader_of(self, path: str) -> Loader | None:
        """What the program loads a file with; None where it was not seen."""
        name = self.followed.loaders.get(path)
        return Loader(name) if name is not None else None
