"""Run the command line as a program: ``python -m flows.cli``."""

import sys

from flows.cli.main import run

if __name__ == "__main__":
    sys.exit(run())
