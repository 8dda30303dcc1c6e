#!/usr/bin/env python
from lib.cli import main

if __name__ == "__main__":
    main()
