"""secp256k1: recovery of signers and sums of products, in Jacobian coordinates. Nothing here handles secrets."""

from functools import lru_cache

from .keccak import keccak256

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)
_INFINITY = (0, 1, 0)


def _double(p):
    x, y, z = p
    if z == 0 or y == 0:
        return _INFINITY
    yy = y * y % P
    s = 4 * x * yy % P
    m = 3 * x * x % P
    x3 = (m * m - 2 * s) % P
    return x3, (m * (s - x3) - 8 * yy * yy) % P, 2 * y * z % P


def _add(p, q):
    if p[2] == 0:
        return q
    if q[2] == 0:
        return p
    x1, y1, z1 = p
    x2, y2, z2 = q
    zz1, zz2 = z1 * z1 % P, z2 * z2 % P
    u1, u2 = x1 * zz2 % P, x2 * zz1 % P
    s1, s2 = y1 * zz2 * z2 % P, y2 * zz1 * z1 % P
    if u1 == u2:
        return _double(p) if s1 == s2 else _INFINITY
    h, r = u2 - u1, s2 - s1
    hh = h * h % P
    hhh = h * hh % P
    v = u1 * hh % P
    x3 = (r * r - hhh - 2 * v) % P
    return x3, (r * (v - x3) - s1 * hhh) % P, h * z1 * z2 % P


def negate(point):
    """The inverse of a point."""
    return point[0], -point[1] % P


def sum_of_products(a, p, b, q):
    """a·p + b·q for points (x, y); None is the point at infinity."""
    first, second = (*p, 1), (*q, 1)
    both = _add(first, second)
    total = _INFINITY
    for bit in range(max(a.bit_length(), b.bit_length()) - 1, -1, -1):
        total = _double(total)
        choice = (a >> bit & 1) | (b >> bit & 1) << 1
        if choice:
            total = _add(total, (first, second, both)[choice - 1])
    x, y, z = total
    if z == 0:
        return None
    inverse = pow(z, -1, P)
    square = inverse * inverse % P
    return x * square % P, y * square * inverse % P


def decode_point(data):
    """A point from its compressed form (33 bytes); None if it is not one."""
    if len(data) != 33 or data[0] not in (2, 3):
        return None
    x = int.from_bytes(data[1:], "big")
    if x >= P:
        return None
    square = (x * x * x + 7) % P
    y = pow(square, (P + 1) // 4, P)
    if y * y % P != square:
        return None
    return x, y if y & 1 == data[0] & 1 else P - y


def encode_point(point):
    """The compressed form of a point."""
    return bytes([2 | point[1] & 1]) + point[0].to_bytes(32, "big")


def address_of(point):
    """The Ethereum address of a public key, in lower case."""
    return "0x" + keccak256(point[0].to_bytes(32, "big") + point[1].to_bytes(32, "big"))[12:].hex()


@lru_cache(maxsize=4096)
def recover(digest, compact, parity):
    """The address whose key made a signature (64 bytes) over a digest; None if there is none."""
    r = int.from_bytes(compact[:32], "big")
    s = int.from_bytes(compact[32:], "big")
    if not (0 < r < N and 0 < s < N):
        return None
    point = decode_point(bytes([2 | parity]) + r.to_bytes(32, "big"))
    if point is None:
        return None
    inverse = pow(r, -1, N)
    z = int.from_bytes(digest, "big")
    key = sum_of_products(s * inverse % N, point, -z * inverse % N, G)
    return None if key is None else address_of(key)
