"""From a receipt up to the chain: Merkle path, storage of the contracts, state root, signed header (D77, D78)."""

from dataclasses import dataclass
from typing import Optional

from .check_statement import from_hex
from .comet import CometError, check_signed_header, root_of_proof, signed_by
from .hashes import receipt_digest
from .keccak import keccak256
from .trie import ProofError, storage_root_of, word_at
from .values import format_time, format_time_ns

_HISTORY_ADDRESS = "0x0000f90827f1c53a10cb7a02335b175320002935"
_HISTORY_WINDOW = 8191
_MAX_RANGE = 600_000
_STAKE_PER_UNIT = 100_000_000_000_000
_MAX_CLOCK_DRIFT_NS = 10_000_000_000


@dataclass(frozen=True)
class ProvenAnchor:
    """An anchor under a trusted state: its time in seconds since 1970, the state's root, and its height if it is known."""

    at: int
    root: bytes
    height: Optional[int]


def _mapping_slot(key, base):
    return keccak256(key.rjust(32, b"\0") + base)


def _plus(slot, offset):
    return (int.from_bytes(slot, "big") + offset).to_bytes(32, "big")


def check_anchor(findings, answer, domain, trust):
    """The anchor of an answer, as far as the bundle contains it. Returns it if it is proven."""
    anchor = answer.get("anchor")
    if anchor is None:
        findings.unchecked("anchor: the receipt is not anchored on a chain, or not yet")
        return None
    count, index, interval = anchor["count"], anchor["index"], anchor["interval"]
    aunts = [from_hex(aunt) for aunt in anchor["aunts"]]
    root = root_of_proof(receipt_digest(answer["receipt"], domain), index, count, aunts)
    shown = "" if root is None else f"0x{root.hex()}"
    is_in_tree = findings.check(
        root is not None and interval > 0,
        f"the receipt is number {index + 1} of {count} in interval {interval}, under the root {shown}",
        "the Merkle path of the receipt does not fit a tree of that size",
    )
    contract = anchor["contract"]
    is_contract = findings.check(
        contract == trust.receipts_contract,
        f"the root is for contract {contract}",
        f"the root is for contract {contract}, not {trust.receipts_contract}",
    )
    if root is None or not is_in_tree or not is_contract:
        return None
    proof = anchor.get("proof")
    if proof is None:
        findings.unchecked("anchor: the bundle has no proof that this root is on the chain")
        return None
    state = _state_of(findings, proof, domain, trust)
    if state is None:
        return None
    state_root, height, is_trusted = state
    at = _check_storage(findings, anchor, root, state_root, domain)
    if at is None or not is_trusted:
        return None
    findings.proves("anchor")
    findings.facts.add("anchored")
    return ProvenAnchor(at, state_root, height)


def _state_of(findings, proof, domain, trust):
    block, state_root = proof.get("signedHeader"), proof.get("stateRoot")
    if (block is None) == (state_root is None):
        findings.check(False, "", "the proof must name exactly one state root")
        return None
    if block is not None:
        holds, is_trusted = _check_header(findings, block, domain, trust)
        # A header commits to the state after the block before it.
        header = block["header"]
        return (header["app_hash"], header["height"] - 1, is_trusted) if holds else None
    root = from_hex(state_root)
    if trust.state_root is None:
        findings.unchecked(f"state root {state_root}: ask a node you trust whether the chain has it")
    else:
        findings.check(
            root == trust.state_root,
            f"{state_root} is the state root you trust",
            f"{state_root} is not the state root you trust",
        )
    return root, None, trust.state_root is not None


def _check_storage(findings, anchor, root, state_root, domain):
    interval = anchor["interval"]
    slots = _mapping_slot(from_hex(domain[1]), bytes(32))
    root_slot = _mapping_slot(interval.to_bytes(32, "big"), slots)
    proof = anchor["proof"]
    try:
        storage = storage_root_of(state_root, from_hex(anchor["contract"]), _nodes(proof["account"]))
        if storage is None:
            raise ProofError("the chain has no such contract")
        stored = word_at(storage, root_slot, _nodes(proof["root"]))
        word = word_at(storage, _plus(root_slot, 1), _nodes(proof["count"]))
    except ProofError as error:
        findings.check(False, "", f"the proof of the anchor is invalid: {error}")
        return None
    at = int.from_bytes(word[16:24], "big")
    is_there = findings.check(
        stored == root and int.from_bytes(word[24:], "big") == anchor["count"],
        f"the state holds that root and count for interval {interval} of the dispatcher, anchored {format_time(at)}",
        "the state holds another root or count for that interval of the dispatcher",
    )
    return at if is_there else None


def _nodes(proof):
    return [from_hex(node) for node in proof]


def number_of(chain_id):
    """The EIP-155 id in the id of a chain: "assay_271828-1" has 271828."""
    before, dash, revision = chain_id.rpartition("-")
    _, line, number = before.rpartition("_")
    is_id = dash and line and all(part.isascii() and part.isdigit() for part in (number, revision))
    return number if is_id else None


def _check_header(findings, block, domain, trust):
    """Whether a header holds by itself, and whether it leads to what the verifier trusts."""
    header, commit = block["header"], block["commit"]
    name = f"header {header['height']}"
    own = header["chain_id"]
    try:
        check_signed_header(block, own if trust.chain_id is None else trust.chain_id)
    except CometError as error:
        findings.check(False, "", f"{name} is not proven: {error}")
        return False, False
    shown = commit["block_id"]["hash"].hex().upper()
    findings.check(
        True,
        f"{name} {shown} of {own} at {format_time_ns(header['time'])} is {signed_by(block)}, "
        "with more than two thirds of the voting power",
        "",
    )
    if trust.chain_id is None:
        findings.unchecked(f"chain identity: pin {own} to check it")
    same = findings.check(
        number_of(own) == str(domain[0]),
        f"the chain has the id {domain[0]}, which everything is signed for",
        f"the header is of {own}, but everything is signed for chain {domain[0]}",
    )
    is_trusted = _check_root(findings, header, commit, trust)
    return same, is_trusted and trust.chain_id is not None


def _check_root(findings, header, commit, trust):
    """Whether the header, or its validators at a time when they could still be punished, are the verifier's own."""
    pinned, hashes = trust.validators_hash, trust.header_hashes
    if pinned is None and hashes is None:
        own = header["validators_hash"].hex().upper()
        findings.unchecked(f"validator set: pin {own}, or the header, to check it")
        return False
    known_set = pinned is None or pinned == header["validators_hash"]
    known_header = hashes is None or commit["block_id"]["hash"] in hashes
    height = header["height"]
    is_known = findings.check(
        known_set and known_header,
        f"{'its validators are the ones' if hashes is None else 'it is the header'} you trust",
        f"header {height} or its validators are not the ones you trust",
    )
    # A header that is known by its hash proves itself at any age.
    if not is_known or hashes is not None:
        return is_known
    if trust.now_ns is None:
        findings.unchecked("age of the header: without the present time, old validators could sign it")
        return False
    is_expired = header["time"] + trust.trusting_period_ns <= trust.now_ns
    why = "older than the trusting period" if is_expired else "in the future"
    return findings.check(
        not is_expired and header["time"] < trust.now_ns + _MAX_CLOCK_DRIFT_NS,
        "it is within the trusting period of its validators",
        f"header {height} of {format_time_ns(header['time'])} is {why}: fetch the bundle again, or pin the hash of the header",
    )


def check_chain_claims(findings, answer, proven, trust):
    """What the chain of a proven anchor says about the draw: the hash of its block, and the operator's range."""
    proof = answer.get("anchor", {}).get("proof")
    if proven is None or proof is None:
        return
    for check in (_check_draw_block, _check_range):
        try:
            check(findings, answer["receipt"], proof, proven, trust)
        except ProofError as error:
            findings.check(False, "", f"a proof about the draw is invalid: {error}")


def _words_of(proven, contract, account, slots):
    storage = storage_root_of(proven.root, from_hex(contract), _nodes(account))
    if storage is None:
        raise ProofError(f"the chain has no contract {contract}")
    return [word_at(storage, slot, _nodes(proof)) for slot, proof in slots]


def _check_draw_block(findings, receipt, proof, proven, _trust):
    history, block = proof.get("history"), receipt["drawBlock"]
    if history is None or block == 0:
        return
    slot = (block % _HISTORY_WINDOW).to_bytes(32, "big")
    (stored,) = _words_of(proven, _HISTORY_ADDRESS, history["account"], [(slot, history["hash"])])
    is_equal = stored == from_hex(receipt["drawBlockHash"])
    height = proven.height
    is_kept = height is None or height - _HISTORY_WINDOW <= block < height
    if not is_equal and (height is None or not is_kept):
        findings.unchecked(f"block {block} of the draw: the state does not know it any more")
        return
    if findings.check(
        is_equal and is_kept,
        f"block {block} of the draw has the hash {receipt['drawBlockHash']} on the chain",
        f"block {block} of the draw does not have the hash {receipt['drawBlockHash']} on the chain",
    ):
        findings.proves("receipt.drawBlock", "receipt.drawBlockHash", "statement.drawBlockHash")


def _check_range(findings, receipt, proof, proven, trust):
    registry, operator = proof.get("registry"), receipt["operator"]
    if registry is None:
        return
    contract = registry["contract"]
    if not findings.check(
        contract == trust.registry_contract,
        f"the range is from the registry {contract}",
        f"the range is from the registry {contract}, not {trust.registry_contract}",
    ):
        return
    slot = _mapping_slot(from_hex(operator), bytes(32))
    slots = [(slot, registry["range"]), (_plus(slot, 1), registry["stake"])]
    packed, staked = _words_of(proven, contract, registry["account"], slots)
    # Solidity packs from the low end: uint32 start, uint32 end; uint128 stake.
    start, end = int.from_bytes(packed[28:], "big"), int.from_bytes(packed[24:28], "big")
    if end == 0:
        return findings.unchecked(f"registry: operator {operator} is not registered")
    if int.from_bytes(staked[16:], "big") < (end - start) * _STAKE_PER_UNIT:
        return findings.unchecked(f"registry: the stake of {operator} does not cover its range")
    # It may have changed since the draw: then nothing is known about the range at that time.
    if (start, end, _MAX_RANGE) != (receipt["rangeStart"], receipt["rangeEnd"], receipt["rangeMax"]):
        return findings.unchecked(
            f"registry: the range of {operator} is {start} to {end} of {_MAX_RANGE} there, not that of the receipt"
        )
    findings.check(True, f"the registry gives {operator} the range {start} to {end}", "")
    findings.proves("receipt.rangeStart", "receipt.rangeEnd", "receipt.rangeMax")
