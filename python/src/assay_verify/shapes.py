"""Checks the shape of JSON, as the schemas of the format say. Each function returns the value as it is used."""

import base64
import math
import re

from .values import MAX_SAFE, length_of


class ShapeError(ValueError):
    """JSON is not of the shape that it should be. `path` leads to the value."""

    def __init__(self, text, path=()):
        super().__init__(text)
        self.path = tuple(path)


ABSENT = object()


def require(holds, text):
    """Raises ShapeError unless it holds."""
    if not holds:
        raise ShapeError(text)


def text(maximum=None, pattern=None, expected="a text"):
    """A text with a maximum length in UTF-16 units, or one that a pattern describes."""
    compiled = None if pattern is None else re.compile(pattern)

    def read(value):
        require(isinstance(value, str), "expected a text")
        require(maximum is None or length_of(value) <= maximum, f"too long: at most {maximum} characters")
        require(compiled is None or compiled.fullmatch(value) is not None, f"expected {expected}")
        return value

    return read


def one_of(*choices):
    """One of these values; a bool is no number."""

    def read(value):
        require(any(type(value) is type(each) and value == each for each in choices), "expected one of a few values")
        return value

    return read


def number(value):
    """A finite number."""
    require(isinstance(value, (int, float)) and not isinstance(value, bool), "expected a number")
    try:
        value = value if isinstance(value, int) and abs(value) <= MAX_SAFE else float(value)
    except OverflowError:
        value = math.inf
    require(math.isfinite(value), "expected a finite number")
    return value


def integer(low=-MAX_SAFE, high=MAX_SAFE):
    """An integer in a range."""

    def read(value):
        found = number(value)
        require(float(found).is_integer() and abs(found) <= MAX_SAFE, "expected an integer")
        require(low <= found <= high, "out of range")
        return int(found)

    return read


def boolean(value):
    """A bool."""
    require(isinstance(value, bool), "expected true or false")
    return value


def hex_digits(value):
    """Bytes of hexadecimal digits without 0x."""
    require(isinstance(value, str) and re.fullmatch(r"(?:[0-9a-fA-F]{2})*", value) is not None, "expected hexadecimal digits")
    return bytes.fromhex(value)


def base64_bytes(value):
    """Bytes of canonical base64."""
    require(isinstance(value, str), "expected base64")
    try:
        data = base64.b64decode(value, validate=True)
    except ValueError as error:
        raise ShapeError("expected base64") from error
    require(base64.b64encode(data).decode() == value, "expected base64")
    return data


def array(element, high, low=0):
    """A list."""

    def read(value):
        require(isinstance(value, list), "expected a list")
        require(low <= len(value) <= high, "too short or too long")
        return [_inside(element, each, at) for at, each in enumerate(value)]

    return read


def _inside(read, value, key):
    try:
        return read(value)
    except ShapeError as error:
        raise ShapeError(str(error), (key, *error.path)) from None


def members(required, optional=None, is_strict=True):
    """An object with these members; a strict one has no others."""
    optional = optional or {}

    def read(value):
        require(isinstance(value, dict), "expected an object")
        if is_strict:
            for key in value:
                if key not in required and key not in optional:
                    raise ShapeError("unknown member", (key,))
        found = {key: _inside(each, value.get(key, ABSENT), key) for key, each in required.items()}
        for key, each in optional.items():
            if key in value:
                found[key] = _inside(each, value[key], key)
        return found

    return read


def record(key, element):
    """An object with members of the caller's own."""

    def read(value):
        require(isinstance(value, dict), "expected an object")
        return {_inside(key, name, name): _inside(element, each, name) for name, each in value.items()}

    return read


def nullable(read):
    """The value or null, which is None."""
    return lambda value: None if value is None else read(value)
