"""`python -m assay_verify`."""

from .cli import main

raise SystemExit(main())
