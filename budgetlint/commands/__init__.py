"""One module per command of the command line. A module has ``HELP``, ``configure(parser)`` and ``run(args, console)``."""
