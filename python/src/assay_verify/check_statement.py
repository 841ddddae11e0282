"""Signatures, known claims, times, draw and clocks of an answer (D25, D28, D31, D77)."""

import hashlib
import re
import unicodedata

from . import secp256k1, vrf
from .hashes import (
    NO_HASH,
    clock_hash,
    evidence_hash,
    output_hash,
    params_hash,
    prompt_hash,
    prompt_text,
    receipt_digest,
    statement_digest,
    statement_version,
    vrf_proof_hash,
)
from .values import format_time, number_text

CLOCK_SLACK = 60
"""How far the clocks of operator, dispatcher and chain may differ, in seconds."""


def from_hex(text):
    """Bytes of hex digits, with or without 0x. Raises ValueError."""
    data = try_from_hex(text)
    if data is None:
        raise ValueError("not a hex string")
    return data


def try_from_hex(text):
    """The same, or None."""
    digits = text[2:] if text.startswith("0x") else text
    if not all(char in "0123456789abcdefABCDEF" for char in digits) or len(digits) % 2:
        return None
    return bytes.fromhex(digits)


def _signer_of(digest, signature):
    data = from_hex(signature)
    parity = data[64] - 27
    return secp256k1.recover(digest, data[:64], parity) if parity in (0, 1) else None


def check_receipt(findings, answer, job_id, domain):
    """The dispatcher's receipt: its signature, its job, and that the job id was not chosen later than the seed."""
    receipt = answer["receipt"]
    dispatcher = domain[1]
    signer = _signer_of(receipt_digest(receipt, domain), answer["dispatcherSignature"])
    findings.check(
        signer == dispatcher,
        f"dispatcher {dispatcher} signed the receipt: round {receipt['round']} to operator {receipt['operator']}, "
        f"recorded {format_time(receipt['recordedAt'])}",
        f"the receipt is not signed by the dispatcher {dispatcher}",
    )
    findings.check(
        receipt["jobId"] == f"0x{job_id}",
        f"the receipt is for job {job_id}",
        f"the receipt is for another job, {receipt['jobId'][2:]}",
    )
    if receipt["requestHash"] == NO_HASH:
        findings.unchecked("job id: it is older than ids that commit to request and seed")
    elif receipt["round"] == 0:
        committed = hashlib.sha256(from_hex(receipt["seed"]) + from_hex(receipt["requestHash"])).digest()
        findings.check(
            committed == from_hex(receipt["jobId"]),
            "the job id commits to the hash of the request and to the seed of the draw",
            "the job id does not commit to this request hash and seed",
        )


def check_statement(findings, answer, domain):
    """The operator's statement: its signature, and that it is about this job, these parameters, this output and these clocks."""
    receipt, statement, params = answer["receipt"], answer["statement"], answer["params"]
    digest = statement_digest(statement, domain)
    findings.check(
        _signer_of(digest, answer["operatorSignature"]) == statement["operator"],
        f"operator {statement['operator']} signed the statement: a {statement['jobType']} job, "
        f"version {statement_version(statement)}",
        "the statement is not signed by the operator it names",
    )
    same = all(statement[name] == receipt[name] for name in ("operator", "jobId", "seed"))
    block = statement.get("drawBlockHash", receipt["drawBlockHash"])
    findings.check(
        f"0x{digest.hex()}" == receipt["statementHash"] and same and block == receipt["drawBlockHash"],
        "the receipt is for this statement, with the same operator, job, seed and block",
        "the receipt is for another statement",
    )
    findings.check(
        output_hash(answer["output"]) == statement["outputHash"],
        "the output matches the statement",
        "the output does not match the statement",
    )
    findings.check(
        params_hash(params) == statement["paramsHash"] and statement["tokens"] <= params["max_tokens"],
        f"the parameters match the statement: temperature {number_text(params['temperature'])}, "
        f"top_p {number_text(params['top_p'])}, at most {params['max_tokens']} tokens",
        "the parameters do not match the statement",
    )
    clocks = clock_hash(answer["clock"]) == statement["clockHash"]
    findings.check(
        clocks and clock_hash(answer["jobClock"]) == receipt["jobClockHash"],
        "both clocks match their signed hashes",
        "a clock does not match its signed hash",
    )
    evidence = answer.get("evidence")
    findings.check(
        evidence_hash(evidence) == receipt["evidenceHash"],
        "no evidence was recorded, and the bundle has none"
        if evidence is None
        else "the evidence matches the recorded hash",
        "the evidence does not match the recorded hash",
    )


def check_known(findings, answer, trust):
    """Claims that the verifier can compare with its own knowledge: operators, prompt, model."""
    statement = answer["statement"]
    if trust.operators is not None:
        operator = statement["operator"]
        findings.check(
            operator in trust.operators,
            f"operator {operator} is one you trust",
            f"operator {operator} is not one you trust",
        )
        findings.proves("receipt.operator", "statement.operator")
    if trust.prompt is not None:
        findings.check(
            prompt_hash(prompt_text(trust.prompt, answer["params"])) == statement["promptHash"],
            "the prompt is the one you gave",
            "the prompt is not the one you gave",
        )
        findings.proves("statement.promptHash", "vrf.vrf_prompt_hash")
    if trust.model_hash is not None:
        findings.check(
            statement["modelHash"] == trust.model_hash,
            f'model "{answer["receipt"]["model"]}" is the file with the hash that you gave, {trust.model_hash}',
            f'model "{answer["receipt"]["model"]}" is the file with the hash {statement["modelHash"]}, '
            "not the one that you gave",
        )
        findings.proves("statement.modelHash")


def _pin_of(model):
    """The name and the pinned hash of a model reference (D58); None where it pins nothing."""
    name, mark, digits = model.partition("@sha256:")
    is_text = 0 < len(model) <= 256 and not any(unicodedata.category(char) in ("Cc", "Cs") for char in model)
    if not is_text or not mark or not name or re.fullmatch("[0-9a-fA-F]{64}", digits) is None:
        return None
    return name, f"0x{digits.lower()}"


def check_model(findings, answer):
    """Whether the answer is from the file that its job pins."""
    pin = _pin_of(answer["receipt"]["model"])
    if pin is None:
        return
    name, digest = pin
    used = answer["statement"]["modelHash"]
    if (
        findings.check(
            used == digest,
            f'model "{name}" is the file that the job pins, {digest}',
            f'model "{name}" is the file {used}, not the one that the job pins, {digest}',
        )
        and "receipt.model" in findings.proven
    ):
        findings.proves("statement.modelHash")


def check_times(findings, answer, anchored_at, trust):
    """The order of the times, and with a proven anchor (seconds since 1970) that it followed the record soon."""
    statement = answer["statement"]
    started, finished = statement["startedAt"], statement["finishedAt"]
    created, recorded = statement.get("createdAt"), answer["receipt"]["recordedAt"]
    times = (
        f"{'' if created is None else f'submitted {format_time(created)}, '}"
        f"started {format_time(started)}, finished {format_time(finished)}, recorded {format_time(recorded)}"
    )
    in_order = (created or 0) <= started + CLOCK_SLACK and started <= finished <= recorded + CLOCK_SLACK
    findings.check(in_order, f"the times are in order: {times}", f"the times are not in order: {times}")
    if anchored_at is None:
        return
    delay = trust.max_anchor_delay
    why = (
        "before"
        if anchored_at < recorded
        else f"more than {delay} s later: allow a longer delay if this dispatcher anchors less often"
    )
    findings.check(
        recorded <= anchored_at + CLOCK_SLACK and anchored_at - recorded <= delay + CLOCK_SLACK,
        f"it was anchored {format_time(anchored_at)}, {max(anchored_at - recorded, 0)} s after it was recorded",
        f"it claims to be recorded {format_time(recorded)}, but was anchored {format_time(anchored_at)}, which is {why}",
    )


def check_draw(findings, answer):
    """The draw: proof, value and selection range."""
    receipt, statement, record = answer["receipt"], answer["statement"], answer["vrf"]
    proof = try_from_hex(record["vrf_proof"]) or b""
    key = try_from_hex(record["vrf_verify_pubkey"]) or b""
    point = secp256k1.decode_point(key)
    is_own = findings.check(
        point is not None and secp256k1.address_of(point) == receipt["operator"],
        "the draw was made with the operator's signing key",
        "the draw was not made with the operator's key",
    )
    is_named = vrf_proof_hash(proof) == statement["vrfProofHash"]
    is_bound = findings.check(
        is_named and f"0x{record['vrf_prompt_hash']}" == statement["promptHash"],
        "the draw is the one named by the statement, for its prompt",
        "the draw is not the one named by the statement",
    )
    has_block = receipt["drawBlock"] > 0
    alpha = vrf.alpha_of(
        from_hex(receipt["jobId"]),
        from_hex(receipt["seed"]),
        from_hex(statement["promptHash"]),
        from_hex(receipt["drawBlockHash"]) if has_block else None,
    )
    beta = vrf.verify(key, alpha, proof) if is_own and is_bound else None
    block = f" and block {receipt['drawBlock']}" if has_block else ""
    findings.check(
        beta is not None and beta == (try_from_hex(record["vrf_random_value"]) or b""),
        f"the VRF proof is valid for job, seed, prompt{block}",
        "the VRF proof is invalid for job, seed, prompt and block, or proves another value",
    )
    if beta is not None:
        _check_selection(findings, receipt, record, beta)


def _check_selection(findings, receipt, record, beta):
    start, end, maximum = receipt["rangeStart"], receipt["rangeEnd"], receipt["rangeMax"]
    tag, position = receipt["tag"], receipt["position"]
    review = "" if tag == "" else f", widened by {tag} ({position})"
    findings.check(
        vrf.is_selected(beta, start, end, maximum, tag, position) and record["selected"],
        f"the drawn value, {vrf.drawn_value(beta, maximum)} of {maximum}, is in the range of the operator, "
        f"{start} to {end}{review}",
        "the drawn value is not in the range of the operator, or the record says that it was not selected",
    )


def check_clocks(findings, answer):
    """The returned clock includes the dispatched one, and counts the operator's own event."""
    clock, before, operator = answer["clock"], answer["jobClock"], answer["receipt"]["operator"]
    includes = all(int(clock.get(name, 0)) >= int(count) for name, count in before.items())
    findings.check(
        includes and int(clock.get(operator, 0)) > int(before.get(operator, 0)),
        "the answer's vector clock includes all that the job had seen, and the operator's own event",
        "the vector clocks are not in causal order",
    )
