"""Checks a receipt bundle offline: every signature, hash and proof in it, one line each (D35a, D152)."""

from .bundle import FORMATS, read_bundle
from .check_chain import number_of, check_anchor, check_chain_claims
from .check_statement import (
    check_clocks,
    check_draw,
    check_known,
    check_model,
    check_receipt,
    check_statement,
    check_times,
)
from .hashes import statement_version
from .open_claims import list_open_claims
from .report import FACTS, Findings, Report
from .shapes import ShapeError

_MAX_REASON = 300


def verify_bundle(value, trust):
    """Verifies parsed JSON with what the verifier trusts (`Trust`). JSON that is no bundle gives one failed line."""
    findings = Findings("bundle")
    try:
        data = read_bundle(value)
    except ShapeError as error:
        where = "".join((".".join(str(key) for key in error.path), ": ")) if error.path else ""
        findings.check(False, "", f"this is not a receipt bundle: {where}{error}"[:_MAX_REASON])
        return Report(tuple(findings.lines), (), False)
    _check_whole(findings, data, trust)
    lines, facts = list(findings.lines), []
    domain = (int(data["chainId"]), data["dispatcher"])
    for at, answer in enumerate(data["answers"], 1):
        own = Findings(f"answer {at}")
        _check_answer(own, answer, data["jobId"], domain, trust)
        lines += own.lines
        facts.append(() if own.has_failed else tuple(fact for fact in FACTS if fact in own.facts))
    if findings.has_failed:
        facts = [() for _ in facts]
    return Report(tuple(lines), tuple(facts), all(line.status != "fails" for line in lines))


def _check_whole(findings, data, trust):
    _check_names(findings, data, trust)
    answers = data["answers"]
    expected = _format_of(answers)
    findings.check(
        data["format"] == expected,
        f"the format is {expected}, which its parts belong to",
        f"the format is {data['format']}, but its parts belong to {expected}",
    )
    first = answers[0]["statement"]["outputHash"]
    files = len({answer["statement"]["modelHash"] for answer in answers})
    if len(answers) == 1:
        findings.unchecked("agreement: only one operator answered")
    elif files > 1:
        findings.unchecked(f"agreement: the {len(answers)} answers are from {files} model files")
    elif all(answer["statement"]["outputHash"] == first for answer in answers):
        findings.check(True, f"{len(answers)} answers have the same output", "")
    else:
        findings.unchecked(f"agreement: not all of the {len(answers)} answers are the same")
    findings.unchecked("completeness: the dispatcher could have left out other answers")
    distinct = {(answer["receipt"]["operator"], answer["receipt"]["round"]) for answer in answers}
    findings.check(
        len(distinct) == len(answers),
        "every answer is from a different operator or round",
        "two answers are from the same operator and round",
    )


def _format_of(answers):
    for answer in answers:
        proof = answer.get("anchor", {}).get("proof", {})
        if statement_version(answer["statement"]) >= 3 or "history" in proof or "registry" in proof:
            return FORMATS[1]
    return FORMATS[0]


def _check_names(findings, data, trust):
    """Dispatcher, chain and job, which everything in a bundle is about."""
    dispatcher, chain_id, job_id = data["dispatcher"], data["chainId"], data["jobId"]
    if trust.dispatcher is None:
        findings.unchecked(f"dispatcher identity: pin {dispatcher} to check it", ["dispatcher"])
    else:
        findings.check(
            dispatcher == trust.dispatcher,
            f"dispatcher {dispatcher} is the one you trust",
            f"dispatcher {dispatcher} is not the one you trust",
        )
    if trust.chain_id is None:
        findings.unchecked(f"chain: everything is signed for chain {chain_id}", ["chainId"])
    else:
        findings.check(
            number_of(trust.chain_id) == chain_id,
            f"everything is signed for chain {chain_id}, which is {trust.chain_id}",
            f"everything is signed for chain {chain_id}, which is not {trust.chain_id}",
        )
    if trust.job_id is None:
        findings.unchecked(f"job: whether it is the one that you mean, {job_id}", ["jobId"])
    else:
        findings.check(
            job_id == trust.job_id,
            f"job {job_id} is the one you named",
            f"job {job_id} is not the one you named",
        )


def _check_answer(findings, answer, job_id, domain, trust):
    anchor = None

    def anchored():
        nonlocal anchor
        anchor = check_anchor(findings, answer, domain, trust)

    # The verifier named the dispatcher, which vouches for the operator that it chose.
    if trust.dispatcher is not None:
        findings.facts.add("signed")
    for step in (
        lambda: check_receipt(findings, answer, job_id, domain),
        lambda: check_statement(findings, answer, domain),
        lambda: check_known(findings, answer, trust),
        lambda: check_model(findings, answer),
        anchored,
        lambda: check_times(findings, answer, anchor and anchor.at, trust),
        lambda: check_draw(findings, answer),
        lambda: check_chain_claims(findings, answer, anchor, trust),
        lambda: check_clocks(findings, answer),
        lambda: _check_evidence(findings, answer),
        lambda: list_open_claims(findings, answer),
    ):
        try:
            step()
        except (ValueError, OverflowError) as error:
            findings.check(False, "", f"a value is malformed: {error}")


def _check_evidence(findings, answer):
    """An opml answer needs none. Documents of machines are not read here: that takes X.509 and the makers' certificates."""
    if "evidence" in answer:
        findings.unchecked("evidence: this package does not read documents of machines; assay job verify does")
        return
    findings.check(
        answer["statement"]["jobType"] == "opml",
        "an opml answer needs no evidence: anyone can re-execute it",
        "a tee answer without evidence",
    )
    findings.proves("receipt.evidenceHash")
