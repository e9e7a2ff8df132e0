"""The command line: one file a command, each of which parses options, calls a public function and
prints the result.

root.py    all commands by group, and the entry point with its promises
common.py  shared options, parsing of values, the terminal
stages.py  the display of progress
"""

from fabula.cli.root import app, main

__all__ = ["app", "main"]
