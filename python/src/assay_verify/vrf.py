"""The draw: ECVRF on secp256k1 with SHA-256 (suite 0xFE, D31), and what it selects."""

import hashlib
from functools import lru_cache

from .keccak import keccak256
from .secp256k1 import G, N, decode_point, encode_point, negate, sum_of_products

_SUITE = b"\xfe"


def alpha_of(job_id, seed, prompt_hash, block_hash):
    """The input of a draw: 32-byte values; the hash of the block is None where the draw binds none."""
    parts = [job_id, seed, prompt_hash] + ([] if block_hash is None else [block_hash])
    if any(len(part) != 32 for part in parts):
        raise ValueError("a VRF input is made of 32-byte values")
    version = b"1" if block_hash is None else b"2"
    return keccak256(b"Assay/vrf-alpha/v" + version + b"\0" + b"".join(parts))


def _to_curve(key, alpha):
    for counter in range(256):
        x = hashlib.sha256(_SUITE + b"\x01" + key + alpha + bytes([counter, 0])).digest()
        point = decode_point(b"\x02" + x)
        if point is not None:
            return point
    raise ValueError("no point was found for a VRF input in 256 tries")


@lru_cache(maxsize=4096)
def verify(key, alpha, proof):
    """The random output (32 bytes) that a proof (81 bytes) proves, or None."""
    if len(proof) != 81:
        return None
    y, gamma = decode_point(key), decode_point(proof[:33])
    challenge, s = proof[33:49], int.from_bytes(proof[49:], "big")
    if y is None or gamma is None or s >= N:
        return None
    c = int.from_bytes(challenge, "big")
    h = _to_curve(key, alpha)
    u = sum_of_products(s, G, c, negate(y))
    v = sum_of_products(s, h, c, negate(gamma))
    if u is None or v is None:
        return None
    points = b"".join(encode_point(point) for point in (h, gamma, u, v))
    if hashlib.sha256(_SUITE + b"\x02" + key + points + b"\0").digest()[:16] != challenge:
        return None
    return hashlib.sha256(_SUITE + b"\x03" + encode_point(gamma) + b"\0").digest()


def drawn_value(beta, maximum):
    """The position of a draw in 0..maximum."""
    return int.from_bytes(beta, "big") * maximum >> 256


def is_selected(beta, start, end, maximum, tag, position):
    """Whether a draw is in the range of an operator, widened where the user is under review."""
    percent = 0 if tag == "" else 10 if tag == "malicious" and position == "before" else 3
    value = drawn_value(beta, maximum) * 100
    margin = percent * maximum
    return start * 100 - margin <= value < end * 100 + margin
