"""`python -m fabula.cli`."""

import sys

from fabula.cli import main

sys.exit(main())
