"""What the engine itself finds: about files, suppressions, plugins, and crashes."""
