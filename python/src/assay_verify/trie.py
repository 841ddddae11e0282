"""Merkle-Patricia proofs of accounts and storage (EIP-1186) against a state root."""

from .keccak import keccak256
from .rlp import RlpError, decode, encode

_EMPTY_ROOT = keccak256(b"\x80")


class ProofError(ValueError):
    """A proof does not prove its claim; the text says which node is wrong."""


def _decode_path(data):
    """Whether a path ends at a leaf, and its half bytes; None if it is not canonical."""
    if len(data) == 0 or data[0] > 0x3F:
        return None
    is_odd = data[0] & 0x10 != 0
    if not is_odd and data[0] & 15 != 0:
        return None
    nibbles = [data[0] & 15] if is_odd else []
    for byte in data[1:]:
        nibbles += (byte >> 4, byte & 15)
    return data[0] & 0x20 != 0, nibbles


def _value(item):
    if not isinstance(item, bytes):
        raise ProofError("a trie value is not a byte string")
    return None if item == b"" else ("value", item)


def _child(reference, depth):
    return None if reference == b"" else ("child", reference, depth)


def _step(node, depth, path):
    if len(node) == 17:
        return _value(node[16]) if depth == len(path) else _child(node[path[depth]], depth + 1)
    if len(node) != 2:
        raise ProofError("a trie node has neither 2 nor 17 items")
    decoded = _decode_path(node[0]) if isinstance(node[0], bytes) else None
    if decoded is None:
        raise ProofError("a trie node has a malformed path")
    is_leaf, nibbles = decoded
    matches = path[depth : depth + len(nibbles)] == nibbles
    if is_leaf:
        return _value(node[1]) if matches and len(nibbles) == len(path) - depth else None
    return _child(node[1], depth + len(nibbles)) if matches else None


def verify_trie(root, key, nodes):
    """The value under a key, or None if the trie has none. Raises ProofError."""
    used = 0

    def take(expected):
        nonlocal used
        if used >= len(nodes):
            raise ProofError(f"proof ends before node {used}")
        if keccak256(nodes[used]) != expected:
            raise ProofError(f"proof node {used} does not hash to its reference")
        try:
            item = decode(nodes[used])
        except RlpError as error:
            raise ProofError(f"proof node {used} is not RLP: {error}") from error
        if isinstance(item, bytes):
            raise ProofError(f"proof node {used} is not a list")
        used += 1
        return item

    def finish(value):
        if used != len(nodes):
            raise ProofError(f"proof has {len(nodes) - used} unused nodes")
        return value

    if root == _EMPTY_ROOT:
        return None if list(nodes) == [b"\x80"] else finish(None)
    path = [nibble for byte in key for nibble in (byte >> 4, byte & 15)]
    node, depth = take(root), 0
    while True:
        step = _step(node, depth, path)
        if step is None:
            return finish(None)
        if step[0] == "value":
            return finish(step[1])
        _, reference, depth = step
        if not isinstance(reference, bytes):
            if len(encode(reference)) >= 32:
                raise ProofError("a node of 32 bytes or more stands inside its parent")
            node = reference
        elif len(reference) == 32:
            node = take(reference)
        else:
            raise ProofError("a child reference is neither a hash nor a node")


def storage_root_of(state_root, address, proof):
    """The storage root of an account, or None if there is no such account. Raises ProofError."""
    value = verify_trie(state_root, keccak256(address), proof)
    if value is None:
        return None
    try:
        fields = decode(value)
    except RlpError as error:
        raise ProofError(f"the proven account is not RLP: {error}") from error
    if isinstance(fields, bytes) or len(fields) != 4:
        raise ProofError("the proven account is not a list of four fields")
    if not all(isinstance(field, bytes) for field in fields) or not len(fields[2]) == len(fields[3]) == 32:
        raise ProofError("the proven account has a malformed field")
    return fields[2]


def word_at(storage_root, slot, proof):
    """The 32 bytes of a slot, zeros when it is not set. Raises ProofError."""
    encoded = verify_trie(storage_root, keccak256(slot), proof)
    if encoded is None:
        return bytes(32)
    try:
        value = decode(encoded)
    except RlpError as error:
        raise ProofError(f"the proven storage value is not RLP: {error}") from error
    if not isinstance(value, bytes) or len(value) > 32:
        raise ProofError("the proven storage value is not a word")
    return value.rjust(32, b"\0")
