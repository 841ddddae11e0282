"""Keccak-256, as Ethereum uses it: the padding of the submission, not that of SHA-3."""

from functools import lru_cache

_MASK = (1 << 64) - 1
_RATE = 136
_ROUNDS = 24


def _constants():
    """Round constants by the linear feedback shift register of the specification."""
    out = []
    register = 1
    for _ in range(_ROUNDS):
        constant = 0
        for j in range(7):
            if register & 1:
                constant |= 1 << ((1 << j) - 1)
            register = (register << 1) ^ (0x171 if register & 0x80 else 0)
        out.append(constant)
    return tuple(out)


def _lanes():
    """Where each lane goes, and by how much it is rotated (steps rho and pi)."""
    moves = []
    x, y = 1, 0
    for t in range(24):
        to = (y, (2 * x + 3 * y) % 5)
        moves.append((x + 5 * y, to[0] + 5 * to[1], ((t + 1) * (t + 2) // 2) % 64))
        x, y = to
    return tuple(moves)


_CONSTANTS = _constants()
_MOVES = _lanes()


def _permute(a):
    for constant in _CONSTANTS:
        c = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        d = [c[x - 1] ^ (((c[(x + 1) % 5] << 1) | (c[(x + 1) % 5] >> 63)) & _MASK) for x in range(5)]
        b = [0] * 25
        b[0] = a[0] ^ d[0]
        for source, target, by in _MOVES:
            lane = a[source] ^ d[source % 5]
            b[target] = ((lane << by) | (lane >> (64 - by))) & _MASK
        a = [
            b[i] ^ (~b[i - i % 5 + (i + 1) % 5] & b[i - i % 5 + (i + 2) % 5] & _MASK)
            for i in range(25)
        ]
        a[0] ^= constant
    return a


@lru_cache(maxsize=65536)
def keccak256(data):
    """The 32-byte digest of bytes."""
    padded = bytearray(data) + b"\x01" + bytes(-(len(data) + 1) % _RATE)
    padded[-1] |= 0x80
    state = [0] * 25
    for at in range(0, len(padded), _RATE):
        for i in range(_RATE // 8):
            state[i] ^= int.from_bytes(padded[at + 8 * i : at + 8 * i + 8], "little")
        state = _permute(state)
    return b"".join(lane.to_bytes(8, "little") for lane in state[:4])
