"""Lightning CLI: YAML of ``trainer``, ``model`` and ``data`` with class paths."""
