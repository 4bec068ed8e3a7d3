"""A data loader that imports a module and reads a file, both beside it."""

import json
from pathlib import Path

import helper

data = Path(__file__).with_name("data.txt").read_text("utf-8").strip()
print(json.dumps(f"{helper.VALUE}-{data}"))
