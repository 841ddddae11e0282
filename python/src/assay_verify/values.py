"""Values as JavaScript has them: numbers, texts in UTF-16, and times. Both verifiers must read and print the same."""

import re

MAX_SAFE = 2**53 - 1
_SURROGATE = re.compile("[\ud800-\udfff]")
_NANOS = 1_000_000_000
_DAY = 86_400
_RFC3339 = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)


def utf8(text):
    """UTF-8 of a text; half a surrogate pair becomes U+FFFD."""
    return _SURROGATE.sub("\ufffd", text).encode()


def length_of(text):
    """The length in units of UTF-16."""
    return len(text) + sum(1 for char in text if ord(char) > 0xFFFF)


def utf16_order(text):
    """A key that sorts texts by their units of UTF-16."""
    return text.encode("utf-16-be", "surrogatepass")


def number_text(value):
    """A number as JavaScript prints it."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e21):
        return str(int(value))
    sign = "-" if value < 0 else ""
    mantissa, exponent = f"{abs(value)!r}".split("e") if "e" in repr(value) else (repr(abs(value)), "0")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if 0 < point <= 21:
        return sign + (digits.ljust(point, "0") if len(digits) <= point else f"{digits[:point]}.{digits[point:]}")
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    power = f"e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return sign + (digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}") + power


def _days_from_date(year, month, day):
    shifted = year - 1 if month <= 2 else year
    era = shifted // 400
    of_era = shifted - era * 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def _date_from_days(days):
    shifted = days + 719_468
    era = shifted // 146_097
    of_era = shifted - era * 146_097
    year_of_era = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * of_year + 2) // 153
    month = shifted_month + (3 if shifted_month < 10 else -9)
    year = year_of_era + era * 400 + (1 if month <= 2 else 0)
    return year, month, of_year - (153 * shifted_month + 2) // 5 + 1


def format_time_ns(time_ns):
    """RFC 3339 in UTC, without trailing zeros of the fraction."""
    seconds, nanos = divmod(time_ns, _NANOS)
    days, second = divmod(seconds, _DAY)
    year, month, day = _date_from_days(days)
    fraction = f"{nanos:09d}".rstrip("0")
    clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    return f"{year:04d}-{month:02d}-{day:02d}T{clock}{'.' + fraction if fraction else ''}Z"


def format_time(seconds):
    """The same for seconds since 1970."""
    return format_time_ns(seconds * _NANOS)


def parse_time(text):
    """Nanoseconds since 1970 of an RFC 3339 text, or None."""
    match = _RFC3339.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(match[i]) for i in range(1, 7))
    days = _days_from_date(year, month, day)
    if _date_from_days(days) != (year, month, day) or hour > 23 or minute > 59 or second > 59:
        return None
    offset = (int(match[9] or 0) * 60 + int(match[10] or 0)) * 60 * (-1 if match[8] == "-" else 1)
    fraction = int((match[7] or "").ljust(9, "0"))
    return (days * _DAY + hour * 3600 + minute * 60 + second - offset) * _NANOS + fraction
