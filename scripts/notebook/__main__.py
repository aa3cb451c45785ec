import sys

from notebook.cli import main

sys.exit(main())
