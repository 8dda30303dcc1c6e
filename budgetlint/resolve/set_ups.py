"""Versions that stand in the set-up of a project rather than beside its configs, where nothing beside them names the package.

First what builds its environment: requirement files and environments in folders of that kind (``docker/``, ``requirements/``, ``envs/``),
Dockerfiles and Apptainer definitions. Then what people are told to type: set-up scripts and READMEs. What two of them want otherwise is
left open. Sources: Apptainer 1.3 "Definition Files" (``%post`` is a shell script, ``From:``); the tags of ``pytorch/pytorch`` and
``huggingface/transformers-*`` images begin with the release that they hold.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping

from budgetlint.base.expression import expression
from budgetlint.base.source import SourceFile, Span
from budgetlint.files.disk import Files
from budgetlint.resolve.environments import of_conda
from budgetlint.resolve.installs import installs
from budgetlint.resolve.pins import exclude, of_texts, required, requirements
from budgetlint.settings.run import Origin, OriginKind, Release

_FOLDERS = (
    "docker", ".docker", "requirements", "env", "envs", "environment", "environments", "conda", "install", "setup", "container",
    "containers", "apptainer", "singularity", ".devcontainer",
)  # fmt: skip
_BESIDE = ("Dockerfile*", "*.def", "*.dockerfile", "*env*.y*ml")
_BUILDS = expression(r"(?:dockerfile|containerfile).*|.*\.(?:def|dockerfile|txt|ya?ml)", 2)  # re.IGNORECASE
_OTHERS = expression(r"infer|serv|vllm|deploy|api|web|demo|eval|bench|test|docs|lint|dev(?!el|container)", 2)
"""What else an environment is made for."""
_TOLD = (
    "setup.sh", "install.sh", "setup_env.sh", "env_setup.sh", "install_env.sh", "create_env.sh", "environment.sh", "bootstrap.sh",
    "scripts/setup.sh", "scripts/install.sh", "scripts/setup_env.sh", "INSTALL.md", "README.md", "readme.md", "Makefile",
)  # fmt: skip
_MOST = 40
_IMAGE = expression(
    r"^[ \t]*(?:FROM[ \t]+(?:--\S{1,80}[ \t]+)?|From:[ \t]*)(?:docker\.io/)?"
    r"(?P<image>pytorch/pytorch|huggingface/transformers)[\w-]{0,40}:v?(?P<version>\d+\.\d+\.\d+)",
    10,
)
_IMAGES = {"pytorch/pytorch": "torch", "huggingface/transformers": "transformers"}

Said = Mapping[str, Release | None]
"""By package, the release that is wanted; None where two places differ."""


def set_up_of(files: Files, folder: str) -> tuple[Said, Said]:
    """What the environment of a folder is built of, and what its instructions tell to type."""
    built = [one for source in _built(files, folder) for one in _of_build(files, source)]
    told = [one for source in _read(files, folder, _TOLD) for one in _installed(files, source)]
    return _agreed(built), _agreed(told)


def _built(files: Files, folder: str) -> list[SourceFile]:
    patterns = (*_BESIDE, *(f"{one}/*" for one in _FOLDERS))
    found = [path for pattern in patterns for path in files.glob(posixpath.join(folder, pattern))]
    wanted = [path for path in dict.fromkeys(found) if _is_build(path.rpartition("/")[2])]
    return list(_read(files, "", wanted[:_MOST]))


def _is_build(name: str) -> bool:
    return _BUILDS.fullmatch(name) is not None and _OTHERS.search(name) is None


def _read(files: Files, folder: str, names: Iterable[str]) -> Iterator[SourceFile]:
    for name in names:
        path = posixpath.join(folder, name)
        source = files.read(path) if files.exists(path) else None
        if isinstance(source, SourceFile):
            yield source


def _of_build(files: Files, source: SourceFile) -> Iterator[Release]:
    name = source.path.lower()
    if name.endswith(".txt"):
        yield from requirements(source)
    elif name.endswith((".yml", ".yaml")):
        yield from of_texts(source, of_conda(source))
    else:
        mine = {one.package: one for one in (*_images(source), *_installed(files, source))}  # the last holds
        yield from mine.values()


def _images(source: SourceFile) -> Iterator[Release]:
    for found in _IMAGE.finditer(source.text):
        text = f"{_IMAGES[found['image'].lower()]}=={found['version']}"
        origin = Origin(OriginKind.FILE, source, Span(*found.span("version")), key=text)
        if (one := required(text, origin)) is not None:
            yield one


def _installed(files: Files, source: SourceFile) -> Iterator[Release]:
    """What the commands of a text install; of several in a script that name a package the last, while a manual shows each to somebody."""
    found = list(_each(files, source))
    yield from found if source.path.endswith(".md") else {one.package: one for one in found}.values()


def _each(files: Files, source: SourceFile) -> Iterator[Release]:
    for text, place, _ in installs(files, source.path):
        if isinstance(place, SourceFile):
            yield from requirements(place)
        elif (one := required(text, Origin(OriginKind.FILE, source, place, key=text))) is not None:
            yield one


def _agreed(said: Iterable[Release]) -> Said:
    found: dict[str, Release | None] = {}
    for one in said:
        known = found.setdefault(one.package, one)
        if known is not None and exclude(known, one):
            found[one.package] = None
        elif known is not None and one.exact and not known.exact:
            found[one.package] = one
    return found
