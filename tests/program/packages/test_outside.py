"""What comes from outside of a program: paths of the project, the environment, files, the words of the launch."""

from __future__ import annotations

import pytest

from budgetlint.program.objects import Object
from budgetlint.program.packages.roots import ROOT
from budgetlint.program.state import Launched
from budgetlint.program.values import Choice, External, Items, Known, Map, Opaque, Open, Unset, Value

from .following import as_python, followed, ways_of

CONFIG = """train:
  lr: 1e-5
  steps: 1_000
  on: yes
  when: 2024-01-02
base: &base {a: [1, 2.5]}
other: {<<: *base, b: null}
same: *base
"""
FILES = {
    "configs/a.yaml": CONFIG, "configs/b.json": '{"lr": 1e-5, "n": [1, {"x": true}]}', "configs/c.toml": 'lr = 1e-5\n[a.b]\nc = 1\n',
    "configs/loose.json": '{"a": 1, // two\n}', "broken.yaml": "a: [", "two.yaml": "a: 1\n---\nb: 2\n",
    "prompts/p.txt": "Hello\r\nworld\n", "empty.yaml": "",
    "configs/tag.yaml": "a: !mine 1\nb: 2\n", "src/inner/mod.py": "X = 5\n",
}  # fmt: skip


def found(text: str, launched: Launched | None = None, entry: str = "train.py") -> Value:
    seen = followed(f"import os, sys, json, yaml, tomllib\nfrom pathlib import Path\n{text}\n", FILES, launched, entry)
    assert seen.stopped == ""
    return seen["out"]


PATHS = {
    # the text, what it is
    "out = __file__": f"{ROOT}/examples/train.py",
    "out = os.getcwd()": ROOT,
    "out = os.path.dirname(os.path.abspath(__file__))": f"{ROOT}/examples",
    "out = os.path.dirname(os.path.dirname(__file__))": ROOT,
    "out = str(Path(__file__).resolve().parent.parent / 'configs')": f"{ROOT}/configs",
    "out = os.path.relpath(__file__)": "examples/train.py",
    "out = os.path.basename(__file__)": "train.py",
    "out = Path(__file__).stem": "train",
    "out = os.path.join(os.path.dirname(__file__), '..', 'configs')": f"{ROOT}/examples/../configs",
    "out = os.path.normpath(os.path.join(os.path.dirname(__file__), '..', 'configs'))": f"{ROOT}/configs",
    "out = __file__[:-3]": f"{ROOT}/examples/train",
    "out = __file__ == 'train.py'": False,
    "out = __file__ == os.path.abspath('examples/train.py')": True,
    "out = __file__.endswith('.py')": True,
    "out = os.path.isabs(__file__)": True,
    "out = os.path.abspath('a/../b')": f"{ROOT}/b",
    "out = os.path.exists('configs/a.yaml')": True,
    "out = os.path.isdir('configs')": True,
    "out = os.path.isfile(os.path.join(os.path.dirname(__file__), '../configs/a.yaml'))": True,
    "out = Path('configs/a.yaml').exists()": True,
    "os.chdir('configs')\nout = os.path.exists('a.yaml')": True,
    "os.chdir('configs')\nout = os.getcwd()": f"{ROOT}/configs",
}
NOT_KNOWN = [
    # a folder above the project's, what is not there, what others may make
    "out = os.path.dirname(os.getcwd())", "out = os.path.basename(os.getcwd())", "out = Path.cwd().parent", "out = Path.cwd().name",
    "out = os.path.abspath('..')",
    "out = Path(__file__).parents[2]", "out = len(__file__)", "out = __file__[0:3]", "out = 'home' in __file__",
    "out = __file__.split('/')", "out = os.path.exists('nothing')", "out = os.path.isfile('configs')",
    "out = os.path.exists('/etc/passwd')", "out = os.path.expanduser('~/a')", "out = Path.home()",
    "out = os.path.realpath('/tmp/a')", "out = Path('/a').resolve()",
    "out = os.listdir('configs')", "out = list(Path('configs').glob('*.yaml'))", "os.chdir('/tmp')\nout = os.getcwd()",
    "out = __file__ == '/home/me/examples/train.py'",
    "out = os.path.relpath('/tmp/a')", "out = __file__.replace('t', 'x')", "out = json.dumps(__file__)",
    "out = os.path.commonprefix([__file__, '/a'])",
]  # fmt: skip


@pytest.mark.parametrize("text", PATHS)
def test_paths_of_the_project(text: str) -> None:
    assert as_python(found(text, entry="examples/train.py")) == PATHS[text]


@pytest.mark.parametrize("text", NOT_KNOWN)
def test_paths_that_nobody_knows(text: str) -> None:
    value = found(text, entry="examples/train.py")
    assert isinstance(value, Opaque) or (isinstance(value, Items) and value.more is not None and not value.items)


ENVIRONMENT = {
    # the text: what it is; a class for what is not known
    "out = os.environ['GIVEN']": "4",
    "out = os.environ.get('GIVEN', '9')": "4",
    "out = os.getenv('GIVEN')": "4",
    "out = int(os.getenv('GIVEN')) * 2": 8,
    "out = os.environ.get('MINE', '9')": "9",
    "out = os.environ.get('MINE', 9)": 9,
    "out = os.getenv('MINE', default='x')": "x",
    "out = os.getenv('MINE') or 'x'": "x",
    "x = 'y'\nout = os.environ.get('MINE') or x": "y",
    "out = os.getenv('GIVEN') or 'x'": "4",
    "out = 'GIVEN' in os.environ": True,
    "os.environ['MINE'] = 'a'\nout = os.environ.get('MINE', 'b')": "a",
    "os.environ.update(MINE='a')\nout = os.environ['MINE']": "a",
    "os.environ.pop('GIVEN')\nout = os.environ.get('GIVEN', 'gone')": "gone",
    "out = dict(os.environ)['GIVEN']": "4",
    "out = {**os.environ, 'MINE': '2'}['MINE']": "2",
    "out = os.environ['MINE']": Open,
    "out = os.environ.get('MINE')": Unset,
    "out = os.getenv('MINE', None)": Unset,
    "out = os.environ.get('RANK', '0')": Open,
    "out = os.getenv('MINE') or None": Choice,
    "out = os.getenv('RANK') or '0'": Choice,
    "out = os.getenv('MINE') or os.getenv('OTHER')": Choice,
    "out = os.environ.get('LOCAL_RANK', -1)": Open,
    "out = os.environ.get('WORLD_SIZE', '1')": Open,
    "out = os.environ.get('SLURM_PROCID', '1')": Open,
    "out = os.environ.get('CUDA_VISIBLE_DEVICES', '0')": Open,
    "out = os.environ.get('HF_TOKEN', '')": Open,
    "out = os.environ.get('HOME', '/')": Open,
    "out = int(os.environ.get('WORLD_SIZE', 1))": Opaque,
    "out = 'MINE' in os.environ": Opaque,
    "out = os.environ.get(sys.argv[1], 'x')": Opaque,
}


@pytest.mark.parametrize("text", ENVIRONMENT)
def test_the_environment(text: str) -> None:
    value, wanted = found(text, Launched(environment={"GIVEN": Known("4")})), ENVIRONMENT[text]
    assert type(value) is wanted if isinstance(wanted, type) else as_python(value) == wanted


def test_one_program_does_not_see_what_another_exported() -> None:
    found("os.environ['MINE'] = 'a'\nsys.argv.append('x')\nout = 1")
    assert as_python(found("out = os.environ.get('MINE', 'b')")) == "b"
    assert as_python(found("out = sys.argv[1:]", Launched(words=()))) == []


def test_a_default_that_the_environment_could_change_says_so() -> None:
    value = found("out = os.environ.get('MINE', '9')")
    assert (value.origins[0].kind, value.origins[0].key) == ("environment", "MINE")


def test_a_variable_that_one_way_sets() -> None:
    value = found("if os.environ.get('Q') == '1':\n    os.environ['MINE'] = 'a'\nout = os.environ.get('MINE', 'b')")
    assert sorted(map(str, ways_of(value))) == ["a", "b"]


def test_words_of_the_launch() -> None:
    given = Launched(words=(Known("a.yaml"), Open("word", "${X}")))
    assert as_python(found("out = sys.argv[1]", given)) == "a.yaml"
    assert isinstance(found("out = sys.argv[2]", given), Open)
    assert as_python(found("out = len(sys.argv)", given)) == 3
    assert not isinstance(found("out = sys.argv[1]"), Known)
    assert not isinstance(found("out = sys.argv[0]", given), Known)


YAML = {
    "lr": "1e-5", "steps": 1000, True: True, "when": Opaque,
}  # fmt: skip


@pytest.mark.parametrize("opening", [
    "yaml.safe_load(open('configs/a.yaml'))", "yaml.load(open('configs/a.yaml'), Loader=yaml.FullLoader)",
    "yaml.safe_load(Path('configs/a.yaml').read_text())",
    "yaml.load(open('configs/a.yaml').read(), yaml.SafeLoader)", "yaml.full_load(Path('configs/a.yaml').open())",
])  # fmt: skip
def test_yaml_as_pyyaml_has_it(opening: str) -> None:
    value = found(f"out = {opening}")
    assert isinstance(value, Map) and value.loader == "pyyaml"
    train = value.items["train"]
    assert isinstance(train, Map)
    for key, wanted in YAML.items():
        one = train.items[key]
        assert type(one) is wanted if isinstance(wanted, type) else as_python(one) == wanted
    assert as_python(value.items["other"]) == {"a": [1, 2.5], "b": None}
    origin = train.items["lr"].origins[0]
    assert (origin.kind, origin.key, origin.place.path, origin.place.line) == ("config", "train.lr", "configs/a.yaml", 2)
    assert origin.place.source is not None and origin.place.span is not None
    assert origin.place.source.text[origin.place.span.start : origin.place.span.end] == "1e-5"


def test_aliases_are_one_object_and_each_reading_is_fresh() -> None:
    text = "a = yaml.safe_load(open('configs/a.yaml'))\nb = yaml.safe_load(open('configs/a.yaml'))\na['base']['a'].append(3)\n"
    assert as_python(found(f"{text}out = (a['same'], a['other']['a'], b['base'])")) == ({"a": [1, 2.5, 3]}, [1, 2.5, 3], {"a": [1, 2.5]})


OTHERS = {
    "out = json.load(open('configs/b.json'))": {"lr": 1e-5, "n": [1, {"x": True}]},
    "with open('configs/b.json') as file:\n    out = json.load(file)": {"lr": 1e-5, "n": [1, {"x": True}]},
    "out = json.loads(open('configs/b.json').read())['lr']": 1e-5,
    "out = yaml.safe_load(open('configs/b.json'))['lr']": "1e-5",
    "out = tomllib.load(open('configs/c.toml', 'rb'))": {"lr": 1e-5, "a": {"b": {"c": 1}}},
    "import toml\nout = toml.load('configs/c.toml')['a']": {"b": {"c": 1}},
    "out = yaml.safe_load('a: 1\\nb: [x, 2e-5]')": {"a": 1, "b": ["x", "2e-5"]},
    "out = yaml.safe_load('configs/a.yaml')": "configs/a.yaml",
    "try:\n    from yaml import CLoader as L\nexcept ImportError:\n    from yaml import Loader as L\nout = yaml.load('a: 1', L)": {"a": 1},
    "out = yaml.safe_load(open('empty.yaml'))": None,
    "out = list(yaml.safe_load_all(open('two.yaml')))": [{"a": 1}, {"b": 2}],
    "out = open('prompts/p.txt').read()": "Hello\nworld\n",
    "out = open('prompts/p.txt').readlines()": ["Hello\n", "world\n"],
    "out = [line.strip() for line in open('prompts/p.txt')]": ["Hello", "world"],
    "from ruamel.yaml import YAML\nout = YAML(typ='safe').load(open('configs/a.yaml'))['train']['lr']": 1e-5,
    "yaml.SafeLoader.add_constructor('!mine', None)\nout = yaml.safe_load(open('two.yaml').read().split('---')[0])": {"a": 1},
    "os.chdir('configs')\nout = json.load(open('b.json'))['lr']": 1e-5,
    "import importlib\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), 'src'))\nout = importlib.import_module('inner.mod').X": 5,
    "import importlib.util\nout = importlib.util.find_spec('yaml') is not None": True,
}
UNREAD = [
    # not here, not readable, written by the program, read in part, read in a way of the program's own
    "out = json.load(open('nothing.json'))", "out = yaml.safe_load(open('broken.yaml'))", "out = yaml.safe_load(open('two.yaml'))",
    "out = json.load(open('configs/loose.json'))",
    "json.dump({}, open('configs/b.json', 'w'))\nout = json.load(open('configs/b.json'))",
    "file = open('configs/b.json')\nfile.readline()\nout = json.load(file)",
    "file = open('configs/b.json')\na = json.load(file)\nout = json.load(file)",
    "out = yaml.load(open('configs/a.yaml'), Loader=yaml.BaseLoader)",
    "class Own(yaml.SafeLoader):\n    pass\nout = yaml.load(open('configs/a.yaml'), Own)",
    "out = json.load(open('configs/b.json'), object_hook=print)",
    "out = json.loads(open('configs/b.json', 'rb').read())", "out = yaml.safe_load(open('configs/tag.yaml'))['a']",
    "out = open(sys.argv[1]).read()",
    "yaml.SafeLoader.add_constructor('tag:yaml.org,2002:float', None)\nout = yaml.safe_load(open('configs/a.yaml'))",
    "yaml.SafeLoader.add_implicit_resolver('x', None, None)\nout = yaml.safe_load(open('configs/a.yaml'))['train']['lr']",
    "out = yaml.safe_load(open('/configs/a.yaml'))", "out = open('configs/b.json').read(3)",
    "import importlib.util\nout = importlib.util.find_spec('flash_attn') is not None",
]  # fmt: skip


@pytest.mark.parametrize("text", OTHERS)
def test_files_as_they_are_read(text: str) -> None:
    assert as_python(found(text)) == OTHERS[text]


@pytest.mark.parametrize("text", UNREAD)
def test_what_is_not_read_is_not_known(text: str) -> None:
    assert isinstance(found(text), Opaque)


def test_opened_files_are_noted_with_what_named_them() -> None:
    seen = followed("import json\nNAME = 'configs/b.json'\nout = json.load(open(NAME))\n", FILES)
    assert [(path, origin.kind, origin.place.line) for path, origin in seen.it.opened] == [("configs/b.json", "source", 2)]


def test_a_choice_of_files_is_a_choice_of_contents() -> None:
    value = found("name = 'configs/b.json' if os.environ.get('Q') else 'nothing.json'\nout = json.load(open(name))")
    assert isinstance(value, Choice) and {type(way.value) for way in value.ways} == {Map, Opaque}


def test_a_program_that_ends_itself() -> None:
    assert followed("import sys\nsys.exit(1)\n").stopped and followed("exit()\n").stopped


def test_a_name_that_is_not_known_sets_any_attribute() -> None:
    value = found("class A:\n    x = 1\na = A()\na.x = 2\nsetattr(a, os.environ['Q'], 3)\nout = a.x")
    assert not isinstance(value, Known)


def test_exec_of_what_nobody_knows_leaves_no_name_known() -> None:
    seen = followed("import os\nx = 1\nexec(os.environ['Q'])\n", FILES)
    assert isinstance(seen["x"], Opaque) and [one.kind for one in seen.it.doubts] == ["unknown"]


def test_a_configurator_is_followed() -> None:
    """nanoGPT's way: a file of the repository is executed over the names of the program."""
    seen = followed("lr = 1\nexec(open('over.py').read())\n", {"over.py": "lr = 2\nnew = 3\n"})
    assert (as_python(seen["lr"]), as_python(seen["new"])) == (2, 3)


def test_kinds_of_packages() -> None:
    value = found("import torch\nout = (isinstance({}, torch.Tensor), isinstance(1, torch.nn.Module))")
    assert as_python(value) == (False, False)
    assert isinstance(found("import acme\nout = isinstance({}, acme.Thing)"), Opaque)
    assert External("str") == found("out = str") and isinstance(found("from types import SimpleNamespace\nout = SimpleNamespace()"), Object)
