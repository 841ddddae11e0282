"""The hashes in statements and receipts (D24, D35a), and their EIP-712 digests."""

import json
import math

from .bundle import RECEIPT, STATEMENT_1, STATEMENT_2, STATEMENT_3
from .keccak import keccak256
from .rlp import encode
from .values import utf8, utf16_order

NO_HASH = "0x" + "00" * 32
_DOMAIN = b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"


def _labelled(label, data, version=1):
    return "0x" + keccak256(f"Assay/{label}/v{version}\0".encode() + data).hex()


def prompt_hash(prompt):
    """Over the UTF-8 bytes of a prompt."""
    return _labelled("prompt", utf8(prompt))


def prompt_text(text, params):
    """Of a conversation the canonical form of its messages. A text that is no list of messages is what a user said."""
    if params.get("messages") is not True:
        return text
    pairs = _message_pairs(text) or [{"content": text, "role": "user"}]
    return json.dumps(pairs, ensure_ascii=False, separators=(",", ":"))


def _message_pairs(text):
    try:
        messages = json.loads(text)
        pairs = [{"content": each["content"], "role": each["role"]} for each in messages]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    is_list = isinstance(messages, list) and 0 < len(messages) <= 1024
    roles = ("system", "user", "assistant")
    if is_list and all(isinstance(each["content"], str) and each["role"] in roles for each in pairs):
        return pairs
    return None


def output_hash(output):
    """Over the UTF-8 bytes of an output."""
    return _labelled("output", utf8(output))


def vrf_proof_hash(proof):
    """Over the bytes of a proof."""
    return _labelled("vrf-proof", proof)


def evidence_hash(evidence):
    """Over the parts of evidence; zeros without any."""
    if evidence is None:
        return NO_HASH
    return _labelled("evidence", utf8("\0".join(evidence[key] for key in ("level", "format", "document"))))


def clock_hash(clock):
    """Over the RLP list of [participant, count], sorted by participant."""
    pairs = sorted(clock.items(), key=lambda pair: utf16_order(pair[0]))
    return _labelled("clock", encode([[utf8(name), utf8(count)] for name, count in pairs]))


def _millionths(value):
    return math.floor(value * 1_000_000 + 0.5)


def _integer(value):
    if value < 0:
        raise ValueError("a parameter is negative")
    return value.to_bytes((value.bit_length() + 7) // 8, "big")


def params_hash(params):
    """Over the parameters, by their version: three integers, or named pairs where messages, stop or seed are there (D137)."""
    numbers = [_millionths(params["temperature"]), _millionths(params["top_p"]), params["max_tokens"]]
    if any(name in params for name in ("messages", "stop", "seed")):
        values = {
            "max_tokens": _integer(numbers[2]),
            "messages": b"\x01" if "messages" in params else None,
            "raw": b"\x01" if "raw" in params else None,
            "seed": utf8(str(params["seed"])) if "seed" in params else None,
            "stop": [utf8(each) for each in params["stop"]] if "stop" in params else None,
            "temperature": _integer(numbers[0]),
            "top_p": _integer(numbers[1]),
        }
        pairs = [[utf8(name), value] for name, value in values.items() if value is not None]
        return _labelled("params", encode(pairs), 2)
    if "raw" in params:
        numbers.append(1)
    return _labelled("params", b"".join(_word(each) for each in numbers))


def _word(value):
    if not 0 <= value < 2**256:
        raise ValueError("a number does not fit into 32 bytes")
    return value.to_bytes(32, "big")


def _encoded(kind, value):
    if kind == "string":
        return keccak256(utf8(value))
    if kind == "uint64":
        return _word(value)
    return bytes.fromhex(value[2:]).rjust(32, b"\0")


def _struct_bytes(name, fields, values, domain, version):
    chain_id, dispatcher = domain
    kind = f"{name}({','.join(f'{each} {key}' for key, (each, _) in fields.items())})"
    body = b"".join(_encoded(each, values[key]) for key, (each, _) in fields.items())
    separator = keccak256(
        keccak256(_DOMAIN)
        + keccak256(b"Assay")
        + keccak256(version.encode())
        + _word(chain_id)
        + _encoded("address", dispatcher)
    )
    return b"\x19\x01" + separator + keccak256(keccak256(kind.encode()) + body)


def statement_version(statement):
    """1, 2 or 3, by the newest field that is there."""
    if any(name in statement for name in STATEMENT_3):
        return 3
    return 2 if any(name in statement for name in STATEMENT_2) else 1


def statement_digest(statement, domain):
    """What the operator signs. Raises ValueError where a field of the version is missing."""
    version = statement_version(statement)
    fields = dict(STATEMENT_1)
    for more in (STATEMENT_2, STATEMENT_3)[: version - 1]:
        fields.update(more)
    for name in fields:
        if name not in statement:
            raise ValueError(f"the statement has no {name}")
    return keccak256(_struct_bytes("Statement", fields, statement, domain, str(version)))


def receipt_digest(receipt, domain):
    """What the dispatcher signs."""
    return keccak256(_struct_bytes("Receipt", RECEIPT, receipt, domain, "2"))
