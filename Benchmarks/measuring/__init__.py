"""The measurements of Benchmarks/run.py. They share the modules of Tests/Support with the tests."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/Support"))
