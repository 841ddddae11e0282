"""What nothing here proves: every claim in an answer that no check proved, by the question that it leaves open (D76)."""

from .values import format_time


def _request(answer):
    receipt = answer["receipt"]
    return (
        f'request: that somebody asked for model "{receipt["model"]}", this kind of job and these parameters is the '
        f"dispatcher's word; pass the submission to open its hash, {receipt['requestHash']}"
    )


def _draw_block(answer):
    receipt = answer["receipt"]
    if receipt["drawBlock"] > 0:
        digits = receipt["drawBlockHash"][2:]
        return f"block {receipt['drawBlock']} of the draw: ask a node you trust whether it has the hash 0x{digits}"
    return "block of the draw: it is bound to none, so the dispatcher could have tried several seeds"


def _range(answer):
    receipt = answer["receipt"]
    return (
        f"selection range: {receipt['rangeStart']} to {receipt['rangeEnd']} of {receipt['rangeMax']} is the "
        "dispatcher's word; compare it with the registry"
    )


def _review(answer):
    receipt = answer["receipt"]
    tag = receipt["tag"]
    under = "not under review" if tag == "" else f"under review for {tag} ({receipt['position']})"
    return f"review: that the user was {under} is the dispatcher's word"


def _times(answer):
    statement = answer["statement"]
    times = [format_time(each) for each in (statement["startedAt"], statement["finishedAt"])]
    recorded = format_time(answer["receipt"]["recordedAt"])
    return f"times: {times[0]}, {times[1]} and {recorded} to the second are the word of operator and dispatcher"


def _execution(answer):
    statement = answer["statement"]
    how = (
        "assay job verify --model executes it again"
        if statement["jobType"] == "opml"
        else "only evidence of hardware that you trust shows it"
    )
    return (
        f'execution: that engine "{statement["engine"]}" gave this output of {statement["tokens"]} tokens '
        f"({statement['finishReason']}) is the operator's word; {how}"
    )


_QUESTIONS = (
    (
        ("receipt.operator", "statement.operator"),
        lambda answer: f"operator identity: pin {answer['statement']['operator']} to check it",
    ),
    (
        ("statement.promptHash", "vrf.vrf_prompt_hash"),
        lambda answer: f"prompt: pass it to compare it with its hash, {answer['statement']['promptHash']}",
    ),
    (("receipt.requestHash", "receipt.model", "statement.jobType", "params", "statement.paramsHash"), _request),
    (
        ("statement.modelHash",),
        lambda answer: f'model: whether "{answer["receipt"]["model"]}" is the file that you expect; '
        f"its hash is {answer['statement']['modelHash']}",
    ),
    (
        ("receipt.seed", "statement.seed", "receipt.round"),
        lambda answer: f"seed of round {answer['receipt']['round']}: nothing shows that it was settled before the block "
        "of the draw, so the dispatcher could have tried several",
    ),
    (("receipt.drawBlock", "receipt.drawBlockHash", "statement.drawBlockHash"), _draw_block),
    (("receipt.rangeStart", "receipt.rangeEnd", "receipt.rangeMax"), _range),
    (("receipt.tag", "receipt.position"), _review),
    (
        ("jobClock", "clock", "receipt.jobClockHash", "statement.clockHash"),
        lambda _: "clocks: that these events happened is the word of dispatcher and operator",
    ),
    (("statement.createdAt", "statement.startedAt", "statement.finishedAt", "receipt.recordedAt"), _times),
    (
        (
            "output",
            "statement.outputHash",
            "statement.engine",
            "statement.tokens",
            "statement.finishReason",
            "statement.modelRoot",
            "statement.traceRoot",
            "statement.promptTokens",
            "statement.templateHash",
            "statement.renderer",
            "statement.tokenListHash",
            "statement.commitment",
            "statement.rowsRoot",
        ),
        _execution,
    ),
    (
        ("evidence", "receipt.evidenceHash"),
        lambda answer: "evidence: there is none"
        if "evidence" not in answer
        else "evidence: it proves nothing about a machine that you trust",
    ),
    (("anchor",), lambda _: "anchor: it does not end at a chain that you trust"),
)

# Claims that follow from others: the checks fail unless they fit.
_BOUND = {
    "receipt.jobId",
    "statement.jobId",
    "receipt.statementHash",
    "dispatcherSignature",
    "operatorSignature",
    "statement.vrfProofHash",
    "vrf.selected",
    "vrf.vrf_random_value",
    "vrf.vrf_verify_pubkey",
    "vrf.vrf_proof",
}
_STRUCTS = ("receipt", "statement", "vrf")


def _claims_of(answer):
    for name, part in answer.items():
        if name in _STRUCTS:
            yield from (f"{name}.{key}" for key in part)
        else:
            yield name


def list_open_claims(findings, answer):
    """Lists the claims that remain, after all other checks of the answer."""
    left = [claim for claim in _claims_of(answer) if claim not in _BOUND and claim not in findings.proven]
    for fields, text in _QUESTIONS:
        own = [field for field in fields if field in left]
        if own:
            findings.unchecked(text(answer), own)
            left = [claim for claim in left if claim not in own]
    if left:
        findings.unchecked(f"nothing here proves {', '.join(left)}", left)
