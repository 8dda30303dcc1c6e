import importlib
import pkgutil

METHODS = {}


def register(name, **defaults):
    def wrap(function):
        METHODS[name] = lambda args: function(args, **defaults)
        return function

    return wrap


def discover():
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
