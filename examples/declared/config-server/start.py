"""Asks the platform which experiment this machine runs."""

import json
import os
import urllib.request

import acme_loop

with urllib.request.urlopen(os.environ["EXPERIMENT_URL"]) as answer:
    acme_loop.run(json.load(answer))
