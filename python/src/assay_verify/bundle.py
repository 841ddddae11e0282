"""The receipt bundle as JSON, and its parts (format assay-receipts, versions 1 and 2)."""

from .shapes import (
    ShapeError,
    array,
    base64_bytes,
    boolean,
    hex_digits,
    integer,
    members,
    nullable,
    number,
    one_of,
    record,
    require,
    text,
)
from .values import length_of, parse_time

FORMATS = ("assay-receipts/1", "assay-receipts/2")
_MAX_VALUES = 1_000_000
_MAX_CHARACTERS = 50_000_000
_MAX_VALIDATORS = 10_000

_address = text(pattern=r"0x[0-9a-f]{40}", expected="a lower-case address")
_digits32 = text(pattern=r"[0-9a-f]{64}", expected="64 hex digits")
_bytes32 = text(pattern=r"0x[0-9a-f]{64}", expected="0x and 64 hex digits")
_signature = text(pattern=r"0x[0-9a-f]{130}", expected="a 65-byte signature")
_count = integer(0)
_clock = record(text(128), text(pattern=r"[0-9]{1,20}", expected="a count"))
_nodes = array(text(2048, r"0x(?:[0-9a-f]{2})*", "a trie node"), 65)
_height = text(pattern=r"[0-9]{1,15}", expected="a height")


def _int64(value):
    found = int(text(pattern=r"-?[0-9]{1,19}", expected="a decimal integer in a string")(value))
    require(-(2**63) <= found < 2**63, "does not fit into 64 bits")
    return found


def _time(value):
    found = parse_time(value) if isinstance(value, str) else None
    require(found is not None, "expected a time such as 2026-01-31T12:00:00Z")
    return found


def _key(value):
    found = base64_bytes(value)
    require(len(found) == 32, "expected 32 bytes")
    return found


_int32 = integer(0, 2_147_483_647)
_loose = {"is_strict": False}
_block_id = members({"hash": hex_digits, "parts": members({"total": _int32, "hash": hex_digits}, **_loose)}, **_loose)
_HEADER_HASHES = (
    "last_commit_hash",
    "data_hash",
    "validators_hash",
    "next_validators_hash",
    "consensus_hash",
    "app_hash",
    "last_results_hash",
    "evidence_hash",
    "proposer_address",
)
_header = members(
    {
        "version": members({}, {"block": _int64, "app": _int64}, **_loose),
        "chain_id": text(),
        "height": lambda value: int(_height(value)),
        "time": _time,
        "last_block_id": nullable(_block_id),
        **{name: hex_digits for name in _HEADER_HASHES},
    },
    **_loose,
)
_entry = members(
    {
        "block_id_flag": integer(1, 3),
        "validator_address": hex_digits,
        "timestamp": _time,
        "signature": nullable(base64_bytes),
    },
    **_loose,
)
_commit = members(
    {
        "height": lambda value: int(_height(value)),
        "round": _int32,
        "block_id": _block_id,
        "signatures": array(_entry, _MAX_VALIDATORS),
    },
    **_loose,
)
_validator = members(
    {
        "address": hex_digits,
        "pub_key": members({"type": one_of("tendermint/PubKeyEd25519"), "value": _key}, **_loose),
        "voting_power": _int64,
    }
)
_state_proof = members(
    {"account": _nodes, "root": _nodes, "count": _nodes},
    {
        "history": members({"account": _nodes, "hash": _nodes}),
        "registry": members({"contract": _address, "account": _nodes, "range": _nodes, "stake": _nodes}),
        "signedHeader": members({"header": _header, "commit": _commit, "validators": array(_validator, _MAX_VALIDATORS, 1)}),
        "stateRoot": _bytes32,
    },
)
_anchor = members(
    {"contract": _address, "interval": _count, "index": _count, "count": _count, "aunts": array(_bytes32, 53)},
    {"proof": _state_proof},
)

RECEIPT = {
    "jobId": ("bytes32", _bytes32),
    "requestHash": ("bytes32", _bytes32),
    "model": ("string", text(512)),
    "operator": ("address", _address),
    "round": ("uint64", _count),
    "seed": ("bytes32", _bytes32),
    "drawBlock": ("uint64", _count),
    "drawBlockHash": ("bytes32", _bytes32),
    "tag": ("string", one_of("", "suspicion", "malicious")),
    "position": ("string", one_of("", "before", "after")),
    "rangeStart": ("uint64", _count),
    "rangeEnd": ("uint64", _count),
    "rangeMax": ("uint64", _count),
    "jobClockHash": ("bytes32", _bytes32),
    "statementHash": ("bytes32", _bytes32),
    "evidenceHash": ("bytes32", _bytes32),
    "recordedAt": ("uint64", _count),
}
"""Fields of a receipt in the order in which they are signed: EIP-712 type and shape."""

STATEMENT_1 = {
    "jobId": ("bytes32", _bytes32),
    "operator": ("address", _address),
    "jobType": ("string", one_of("opml", "tee")),
    "engine": ("string", text(128)),
    "modelHash": ("bytes32", _bytes32),
    "promptHash": ("bytes32", _bytes32),
    "paramsHash": ("bytes32", _bytes32),
    "seed": ("bytes32", _bytes32),
    "outputHash": ("bytes32", _bytes32),
    "tokens": ("uint64", _count),
    "finishReason": ("string", one_of("stop", "length")),
    "vrfProofHash": ("bytes32", _bytes32),
    "clockHash": ("bytes32", _bytes32),
    "startedAt": ("uint64", _count),
    "finishedAt": ("uint64", _count),
}
STATEMENT_2 = {"modelRoot": ("bytes32", _bytes32), "traceRoot": ("bytes32", _bytes32)}
STATEMENT_3 = {
    "drawBlockHash": ("bytes32", _bytes32),
    "createdAt": ("uint64", _count),
    "promptTokens": ("uint64", _count),
    "commitment": ("uint64", _count),
    "rowsRoot": ("bytes32", _bytes32),
    "templateHash": ("bytes32", _bytes32),
    "renderer": ("string", text(128)),
    "tokenListHash": ("bytes32", _bytes32),
}


def _shapes(fields):
    return {name: shape for name, (_, shape) in fields.items()}


_stop = text(256)


def _stop_text(value):
    require(value != "", "a stop text is empty")
    return _stop(value)


_answer = members(
    {
        "receipt": members(_shapes(RECEIPT)),
        "dispatcherSignature": _signature,
        "statement": members(_shapes(STATEMENT_1), _shapes({**STATEMENT_2, **STATEMENT_3})),
        "operatorSignature": _signature,
        "vrf": members(
            {
                "selected": boolean,
                "vrf_prompt_hash": text(),
                "vrf_random_value": text(),
                "vrf_verify_pubkey": text(),
                "vrf_proof": text(),
            }
        ),
        "jobClock": _clock,
        "clock": _clock,
        "params": members(
            {"temperature": number, "top_p": number, "max_tokens": integer()},
            {"raw": one_of(True), "messages": one_of(True), "stop": array(_stop_text, 4, 1), "seed": integer()},
        ),
        "output": text(),
    },
    {
        "evidence": members({"level": one_of("hardware", "software-insecure"), "format": text(), "document": text()}),
        "anchor": _anchor,
    },
)
_bundle = members(
    {
        "format": one_of(*FORMATS),
        "chainId": text(pattern=r"[0-9]{1,78}", expected="a decimal integer"),
        "dispatcher": _address,
        "jobId": _digits32,
        "answers": array(_answer, 256, 1),
    }
)


def _require_size(value):
    values = characters = 0
    waiting = [value]
    while waiting:
        found = waiting.pop()
        values += 1
        if isinstance(found, str):
            characters += length_of(found)
        elif isinstance(found, list):
            waiting.extend(found)
        elif isinstance(found, dict):
            characters += sum(length_of(key) for key in found)
            waiting.extend(found.values())
        if values + len(waiting) > _MAX_VALUES or characters > _MAX_CHARACTERS:
            raise ShapeError(f"too long: at most {_MAX_VALUES} values with {_MAX_CHARACTERS} characters")


def read_bundle(value):
    """The bundle as it is used. Raises ShapeError."""
    _require_size(value)
    return _bundle(value)
