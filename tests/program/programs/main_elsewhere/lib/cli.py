import argparse

from lib import core


def main(argv=None):
    parser = argparse.ArgumentParser(prog="run")
    parser.add_argument("--batch", type=int, default=core.Settings.batch)
    parser.add_argument("--model")
    args = parser.parse_args(argv)
    settings = core.Settings.of(**{k: v for k, v in vars(args).items() if v is not None})
    core.fit(settings)
