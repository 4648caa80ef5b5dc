"""`python -m benchmarks`: run silva and its peers on the same data and print every ratio."""

import sys

from benchmarks.run import main

sys.exit(main())
