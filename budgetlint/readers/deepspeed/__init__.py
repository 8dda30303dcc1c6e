"""DeepSpeed: its own files, and its section inside another framework's."""
