"""`python -m fabula` is the command line."""

import sys

from fabula.cli import main

sys.exit(main())
