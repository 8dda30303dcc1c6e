"""Launch commands in scripts and job files: what is started, with which flags, files and devices. Nothing is executed."""

from budgetlint.launch.launch import Launch, Request

__all__ = ["Launch", "Request"]
