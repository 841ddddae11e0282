"""Ed25519 signatures by the rule of ZIP-215, by which CometBFT judges votes."""

import hashlib
from functools import lru_cache

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)


def _decode(data):
    """A point (x, y); y may be above the modulus, and x may be zero with a sign."""
    number = int.from_bytes(data, "little")
    sign = number >> 255
    y = (number & ((1 << 255) - 1)) % _P
    u, v = (y * y - 1) % _P, (_D * y * y + 1) % _P
    x = u * pow(v, 3, _P) * pow(u * pow(v, 7, _P), (_P - 5) // 8, _P) % _P
    square = v * x * x % _P
    if square == -u % _P:
        x = x * _ROOT % _P
    elif square != u:
        return None
    return (-x % _P if x & 1 != sign else x), y


def _add(p, q):
    x1, y1, z1, t1 = p
    x2, y2, z2, t2 = q
    a = (y1 - x1) * (y2 - x2) % _P
    b = (y1 + x1) * (y2 + x2) % _P
    c = 2 * t1 * t2 * _D % _P
    d = 2 * z1 * z2 % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _extended(point):
    return point[0], point[1], 1, point[0] * point[1] % _P


def _times(scalar, point):
    total = (0, 1, 1, 0)
    for bit in range(scalar.bit_length() - 1, -1, -1):
        total = _add(total, total)
        if scalar >> bit & 1:
            total = _add(total, point)
    return total


_BASE_Y = 4 * pow(5, -1, _P) % _P
_BASE = _extended(_decode(_BASE_Y.to_bytes(32, "little")))


@lru_cache(maxsize=4096)
def verify(key, message, signature):
    """Whether a signature (64 bytes) is the key's (32 bytes) over the message; False for malformed input."""
    if len(key) != 32 or len(signature) != 64:
        return False
    a, r = _decode(key), _decode(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= _L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % _L
    negated = _extended((-a[0] % _P, a[1]))
    minus_r = _extended((-r[0] % _P, r[1]))
    # Cofactored: eight times the difference is the neutral element.
    x, y, z, _ = _times(8, _add(_add(_times(s, _BASE), _times(k, negated)), minus_r))
    return x == 0 and y == z
