"""A program under test reaches no network."""

import sys


def _refuse(event: str, args: object) -> None:
    if event in ("socket.connect", "socket.getaddrinfo", "socket.bind"):
        raise PermissionError(f"no network here: {event}")


sys.addaudithook(_refuse)
