"""The root of trust: what a verifier knows from other sources. Whatever is None stays unchecked."""

from dataclasses import dataclass
from typing import Optional, Sequence

RECEIPTS_CONTRACT = "0x0000000000000000000000000000000000002002"
REGISTRY_CONTRACT = "0x0000000000000000000000000000000000002001"


@dataclass(frozen=True)
class Trust:
    """Addresses are in lower case with 0x; hashes are bytes, but for `model_hash`, which is 0x and 64 digits."""

    dispatcher: Optional[str] = None
    operators: Optional[Sequence[str]] = None
    chain_id: Optional[str] = None
    validators_hash: Optional[bytes] = None
    header_hashes: Optional[Sequence[bytes]] = None
    state_root: Optional[bytes] = None
    # The present, in nanoseconds since 1970: headers of trusted validators are not accepted without it.
    now_ns: Optional[int] = None
    trusting_period_ns: int = 604_800_000_000_000
    # Maximum time from the record of an answer to its anchor, in seconds.
    max_anchor_delay: int = 3600
    receipts_contract: str = RECEIPTS_CONTRACT
    registry_contract: str = REGISTRY_CONTRACT
    job_id: Optional[str] = None
    prompt: Optional[str] = None
    model_hash: Optional[str] = None
