"""For the property tests: reads lines of JSON [function, …arguments], writes what each gives as a line. Bytes are hex digits."""

import json
import sys

from assay_verify import ed25519, hashes, keccak, rlp, secp256k1, trie, values, vrf

_hex = bytes.fromhex


def _rlp(data):
    try:
        return rlp.encode(rlp.decode(_hex(data))).hex()
    except rlp.RlpError as error:
        return f"error: {error}"


def _params(params):
    try:
        return hashes.params_hash(params)
    except ValueError:
        return "error"


def _trie(root, key, nodes):
    try:
        found = trie.verify_trie(_hex(root), _hex(key), [_hex(node) for node in nodes])
    except trie.ProofError as error:
        return f"error: {error}"
    return None if found is None else found.hex()


def _vrf(key, alpha, proof):
    found = vrf.verify(_hex(key), _hex(alpha), _hex(proof))
    return None if found is None else found.hex()


FUNCTIONS = {
    "keccak": lambda data: keccak.keccak256(_hex(data)).hex(),
    "number": values.number_text,
    "format": lambda time: values.format_time_ns(int(time)),
    "parse": lambda text: None if values.parse_time(text) is None else str(values.parse_time(text)),
    "recover": lambda digest, compact, parity: secp256k1.recover(_hex(digest), _hex(compact), parity),
    "ed25519": lambda key, message, signature: ed25519.verify(_hex(key), _hex(message), _hex(signature)),
    "prompt": hashes.prompt_hash,
    "messages": lambda text: hashes.prompt_text(text, {"messages": True}),
    "params": _params,
    "clock": hashes.clock_hash,
    "rlp": _rlp,
    "trie": _trie,
    "vrf": _vrf,
}

for line in sys.stdin:
    name, *arguments = json.loads(line)
    print(json.dumps(FUNCTIONS[name](*arguments)))
