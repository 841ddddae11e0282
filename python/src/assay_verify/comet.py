"""Headers, validator sets and commits of CometBFT (v0.38), and its Merkle trees (RFC 6962)."""

import hashlib
import json

from . import ed25519
from .values import length_of, utf8

_NANOS = 1_000_000_000
_ZERO_TIME_NS = -62_135_596_800 * _NANOS
_MAX_TOTAL_POWER = (2**63 - 1) // 8
_ABSENT, _COMMITTED = 1, 2
_PRECOMMIT = 2
NIL_BLOCK_ID = {"hash": b"", "parts": {"total": 0, "hash": b""}}


class CometError(ValueError):
    """A header is not proven by its commit; the text says why."""


def _sha256(data):
    return hashlib.sha256(data).digest()


def _split(count):
    split = 1
    while split * 2 < count:
        split *= 2
    return split


def _root(hashes):
    if len(hashes) == 1:
        return hashes[0]
    middle = _split(len(hashes))
    return _sha256(b"\x01" + _root(hashes[:middle]) + _root(hashes[middle:]))


def merkle_root(leaves):
    """The root over leaves."""
    return _root([_sha256(b"\0" + leaf) for leaf in leaves]) if leaves else _sha256(b"")


def root_of_proof(leaf, index, total, aunts):
    """The root that a leaf and its aunts lead to, or None where they do not fit a tree of that size."""
    if not 0 <= index < total or len(aunts) > 53 or any(len(aunt) != 32 for aunt in aunts):
        return None

    def climb(index, total, rest):
        if total == 1:
            return None if rest else _sha256(b"\0" + leaf)
        if not rest:
            return None
        split = _split(total)
        if index < split:
            left = climb(index, split, rest[:-1])
            return left and _sha256(b"\x01" + left + rest[-1])
        right = climb(index - split, total - split, rest[:-1])
        return right and _sha256(b"\x01" + rest[-1] + right)

    return climb(index, total, list(aunts))


def _varint(value):
    value &= 2**64 - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field, value):
    return b"" if value == 0 else _varint(field << 3) + _varint(value)


def _fixed(field, value):
    return b"" if value == 0 else _varint(field << 3 | 1) + value.to_bytes(8, "little", signed=True)


def _message(field, body):
    return _varint(field << 3 | 2) + _varint(len(body)) + body


def _bytes(field, value):
    return _message(field, value) if value else b""


def _timestamp(time_ns):
    seconds, nanos = divmod(time_ns, _NANOS)
    return _number(1, seconds) + _number(2, nanos)


def _block_id(block_id):
    parts = block_id["parts"]
    return _bytes(1, block_id["hash"]) + _message(2, _number(1, parts["total"]) + _bytes(2, parts["hash"]))


_HASHES = (
    "last_commit_hash",
    "data_hash",
    "validators_hash",
    "next_validators_hash",
    "consensus_hash",
    "app_hash",
    "last_results_hash",
    "evidence_hash",
)


def header_hash(header):
    """The hash of a header, which is that of its block."""
    version = header["version"]
    leaves = [
        _number(1, version.get("block", 0)) + _number(2, version.get("app", 0)),
        _bytes(1, utf8(header["chain_id"])),
        _number(1, header["height"]),
        _timestamp(header["time"]),
        _block_id(header["last_block_id"] or NIL_BLOCK_ID),
        *(_bytes(1, header[name]) for name in (*_HASHES, "proposer_address")),
    ]
    return merkle_root(leaves)


def _require(holds, text):
    if not holds:
        raise CometError(text)


def _require_hash(name, value):
    _require(len(value) in (0, 32), f"the header's {name} has {len(value)} bytes, not 32")


def _require_block_id(name, block_id):
    _require_hash(name, block_id["hash"])
    _require_hash(name, block_id["parts"]["hash"])


def _check_header(header):
    _require(length_of(header["chain_id"]) <= 50, "the header's chain id is longer than 50 characters")
    _require(header["height"] > 0, "the height is not above 0")
    _require_block_id("last_block_id", header["last_block_id"] or NIL_BLOCK_ID)
    for name in _HASHES:
        # The state root of an EVM chain is not CometBFT's to judge.
        if name != "app_hash":
            _require_hash(name, header[name])
    proposer = header["proposer_address"]
    _require(len(proposer) == 20, f"the header's proposer_address has {len(proposer)} bytes, not 20")


def _check_entry(entry, index):
    signature = entry["signature"] or b""
    if entry["block_id_flag"] == _ABSENT:
        says = entry["validator_address"] or entry["timestamp"] != _ZERO_TIME_NS or signature
        _require(not says, f"signature {index} of the commit is absent and yet says something")
    else:
        fits = len(entry["validator_address"]) == 20 and len(signature) == 64
        _require(fits, f"signature {index} of the commit has a wrong size")


def _check_commit(commit):
    _require(commit["block_id"] != NIL_BLOCK_ID, "the commit is for no block")
    _require_block_id("commit", commit["block_id"])
    _require(len(commit["signatures"]) > 0, "the commit has no signatures")
    for index, entry in enumerate(commit["signatures"]):
        _check_entry(entry, index)


def _check_validators(validators, expected):
    total = 0
    for index, validator in enumerate(validators):
        key = validator["pub_key"]["value"]
        _require(_sha256(key)[:20] == validator["address"], f"the address of validator {index} is not that of its key")
    for validator in validators:
        power = validator["voting_power"]
        _require(power >= 0, f"a voting power is negative: {power}")
        total += power
        _require(total <= _MAX_TOTAL_POWER, f"the voting power of the set is above {_MAX_TOTAL_POWER}")
    leaves = [
        _message(1, _bytes(1, each["pub_key"]["value"])) + _number(2, each["voting_power"]) for each in validators
    ]
    _require(merkle_root(leaves) == expected, "the validators are not those of the header's validators_hash")


def _sign_bytes(chain_id, commit, entry):
    block_id = commit["block_id"] if entry["block_id_flag"] == _COMMITTED else NIL_BLOCK_ID
    vote = b"".join(
        (
            _number(1, _PRECOMMIT),
            _fixed(2, commit["height"]),
            _fixed(3, commit["round"]),
            b"" if block_id == NIL_BLOCK_ID else _message(4, _block_id(block_id)),
            _message(5, _timestamp(entry["timestamp"])),
            _bytes(6, utf8(chain_id)),
        )
    )
    return _varint(len(vote)) + vote


def _check_signatures(chain_id, commit, validators):
    entries = commit["signatures"]
    _require(
        len(entries) == len(validators),
        f"the commit has {len(entries)} signatures for {len(validators)} validators",
    )
    total = signed = 0
    for index, (validator, entry) in enumerate(zip(validators, entries)):
        total += validator["voting_power"]
        if entry["block_id_flag"] == _ABSENT:
            continue
        is_own = entry["validator_address"] == validator["address"]
        _require(is_own, f"signature {index} is by another validator than the set's")
        message = _sign_bytes(chain_id, commit, entry)
        is_valid = ed25519.verify(validator["pub_key"]["value"], message, entry["signature"] or b"")
        _require(is_valid, f"signature {index} is wrong")
        if entry["block_id_flag"] == _COMMITTED:
            signed += validator["voting_power"]
    _require(signed * 3 > total * 2, f"signatures hold {signed} of {total} power, which is not above 2/3")


def check_signed_header(block, chain_id):
    """That more than two thirds of the validators that a header names signed it. Raises CometError."""
    header, commit, validators = block["header"], block["commit"], block["validators"]
    _check_header(header)
    _check_commit(commit)
    own = header["chain_id"]
    quoted = [json.dumps(each, ensure_ascii=False) for each in (own, chain_id)]
    _require(own == chain_id, f"the header is of chain {quoted[0]}, not {quoted[1]}")
    _require(
        commit["height"] == header["height"],
        f"the commit is for height {commit['height']}, the header for {header['height']}",
    )
    is_signed = header_hash(header) == commit["block_id"]["hash"]
    _require(is_signed, "the header does not hash to what its commit signs")
    _check_validators(validators, header["validators_hash"])
    _check_signatures(own, commit, validators)


def signed_by(block):
    """`signed by 3 of 4 validators`."""
    count = sum(1 for entry in block["commit"]["signatures"] if entry["block_id_flag"] == _COMMITTED)
    return f"signed by {count} of {len(block['validators'])} validators"
