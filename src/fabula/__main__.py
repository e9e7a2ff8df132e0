"""`python -m fabula` is the command line."""

from fabula.cli import main

main()
