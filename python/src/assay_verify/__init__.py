"""Verifies receipt bundles of Assay jobs (docs/python.md). `verify_bundle` is the one function that programs need."""

from .report import Report, verdict_of
from .trust import Trust
from .verify import verify_bundle

__all__ = ["Report", "Trust", "verdict_of", "verify_bundle"]
