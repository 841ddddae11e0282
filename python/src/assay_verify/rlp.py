"""RLP (Yellow Paper, appendix B). Decoding is strict: only canonical encodings pass."""

_MAX_DEPTH = 64


class RlpError(ValueError):
    """Bytes are not canonical RLP."""


def _prefix(length, base):
    if length < 56:
        return bytes([base + length])
    digits = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([base + 55 + len(digits)]) + digits


def encode(item):
    """RLP of bytes, or of a list of items."""
    if isinstance(item, bytes):
        return item if len(item) == 1 and item[0] < 0x80 else _prefix(len(item), 0x80) + item
    body = b"".join(encode(each) for each in item)
    return _prefix(len(body), 0xC0) + body


def _header(data, at, limit):
    if at >= limit:
        raise RlpError("input ends before an item")
    first = data[at]
    if first < 0x80:
        return False, at, at + 1
    is_list = first >= 0xC0
    short = first - (0xC0 if is_list else 0x80)
    start = at + 1
    length = short
    if short > 55:
        digits = short - 55
        if start + digits > limit:
            raise RlpError("input ends inside a length")
        if data[start] == 0:
            raise RlpError("length with a leading zero")
        if digits > 6:
            raise RlpError("length is larger than the input")
        length = int.from_bytes(data[start : start + digits], "big")
        if length < 56:
            raise RlpError("long form for a short length")
        start += digits
    end = start + length
    if end > limit:
        raise RlpError("item is longer than the input")
    if not is_list and length == 1 and data[start] < 0x80:
        raise RlpError("single byte with a needless prefix")
    return is_list, start, end


def _read(data, header, depth):
    is_list, start, end = header
    if not is_list:
        return data[start:end]
    if depth >= _MAX_DEPTH:
        raise RlpError(f"lists are nested deeper than {_MAX_DEPTH}")
    items = []
    at = start
    while at < end:
        inner = _header(data, at, end)
        items.append(_read(data, inner, depth + 1))
        at = inner[2]
    return items


def decode(data):
    """The one item that the bytes encode: bytes, or a list of items. Raises RlpError."""
    header = _header(data, 0, len(data))
    if header[2] != len(data):
        raise RlpError("bytes follow the item")
    return _read(data, header, 0)
