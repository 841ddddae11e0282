"""The command `assay-verify`: what `assay job verify` prints, with the same exit codes."""

import argparse
import json
import re
import sys
import time

from .report import FACTS, verdict_of
from .trust import RECEIPTS_CONTRACT, REGISTRY_CONTRACT, Trust
from .verify import verify_bundle

EXIT_CODES = {"holds": 0, "fails": 1, "unchecked": 3}
"""2 is what argparse uses for mistakes on the command line."""

_MARKS = {"holds": "ok", "fails": "FAIL", "unchecked": "not checked"}
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_MAX_FILE = 64 * 1024 * 1024


def _clean(text):
    """A hostile dispatcher's texts reach the terminal here: without control characters."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", "?", text)


def _hex(length, name):
    def read(text):
        digits = text[2:] if text[:2] == "0x" else text
        if re.fullmatch(rf"[0-9a-fA-F]{{{length * 2}}}", digits) is None:
            raise argparse.ArgumentTypeError(f"{name} has {length * 2} hex digits, with or without 0x")
        return digits.lower()

    return read


_digits = _hex(32, "a hash")


def _address(text):
    return "0x" + _hex(20, "an address")(text)


def _duration(text):
    match = re.fullmatch(r"([0-9]{1,9})([smhd])", text)
    if match is None:
        raise argparse.ArgumentTypeError("a duration is a number with s, m, h or d, for example 168h")
    return int(match[1]) * _UNITS[match[2]]


def _facts(text):
    facts = [name.strip() for name in text.split(",")]
    unknown = [name for name in facts if name not in FACTS]
    if unknown:
        raise argparse.ArgumentTypeError(f'"{_clean(unknown[0])}" is not a fact; facts: {", ".join(FACTS)}')
    return facts


def _parser():
    parser = argparse.ArgumentParser(
        prog="assay-verify",
        description="Verify a receipt bundle offline: what passes, what fails, what was not checked.",
        epilog="Exit codes: 0 it holds, and every answer has the required facts; 1 a check failed; "
        "3 nothing failed, but a required fact is not established.",
    )
    parser.add_argument("bundle", help="bundle file, or - for standard input")
    parser.add_argument("--dispatcher-address", type=_address, help="the dispatcher you trust")
    parser.add_argument("--operator", type=_address, nargs="+", help="operators you trust")
    parser.add_argument("--chain-id", help='the chain you trust, for example "assay_271828-1"')
    parser.add_argument("--validators-hash", type=_digits, help="hash of the validator set of that chain")
    parser.add_argument("--trusting-period", type=_duration, default=604_800, help="how long it is trusted (168h)")
    parser.add_argument("--trusted-hash", type=_digits, nargs="+", help="or hashes of the headers")
    parser.add_argument("--state-root", type=_digits, help="or, for other EVM chains, the state root of the block")
    parser.add_argument("--receipts-contract", type=_address, default=RECEIPTS_CONTRACT)
    parser.add_argument("--registry-contract", type=_address, default=REGISTRY_CONTRACT)
    parser.add_argument("--anchor-delay", type=_duration, default=3600, help="maximum time from record to anchor (1h)")
    parser.add_argument("--job", type=_digits, help="the job that you mean")
    parser.add_argument("--prompt-file", help="file of the prompt, to compare with its hash")
    parser.add_argument("--model-hash", type=_digits, help="SHA-256 of the model file that must have been used")
    parser.add_argument("--require", type=_facts, default=[], help="facts that every answer needs, by commas")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _read(name):
    with sys.stdin.buffer if name == "-" else open(name, "rb") as file:
        data = file.read(_MAX_FILE + 1)
    if len(data) > _MAX_FILE:
        raise ValueError(f"it is larger than {_MAX_FILE} bytes")
    return data.decode()


def _trust(options):
    def data(digits):
        return None if digits is None else bytes.fromhex(digits)

    hashes = options.trusted_hash
    return Trust(
        dispatcher=options.dispatcher_address,
        operators=options.operator,
        chain_id=options.chain_id,
        validators_hash=data(options.validators_hash),
        header_hashes=None if hashes is None else [bytes.fromhex(each) for each in hashes],
        state_root=data(options.state_root),
        now_ns=time.time_ns(),
        trusting_period_ns=options.trusting_period * 1_000_000_000,
        max_anchor_delay=options.anchor_delay,
        receipts_contract=options.receipts_contract,
        registry_contract=options.registry_contract,
        job_id=options.job,
        prompt=None if options.prompt_file is None else _read(options.prompt_file),
        model_hash=None if options.model_hash is None else f"0x{options.model_hash}",
    )


def _verdict_text(verdict, report, required):
    count = sum(1 for line in report.lines if line.status == "unchecked")
    left = f"{count} {'item was' if count == 1 else 'items were'} not checked"
    if verdict == "fails":
        return "NOT PROVEN."
    if verdict == "holds":
        return f"It holds; {left}."
    missing = [fact for fact in required if not all(fact in known for known in report.facts)]
    what = (
        f"not established for every answer: {', '.join(missing)}"
        if required
        else "it leads to nothing that you named: pass --dispatcher-address, or what you trust instead"
    )
    return f"NOTHING FAILED, BUT {what}; {left}."


def _refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def main(arguments=None):
    """Runs the command; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        value = json.loads(_read(options.bundle), parse_constant=_refuse_constant)
        trust = _trust(options)
    except (OSError, ValueError, RecursionError) as error:
        parser.error(_clean(f"{options.bundle}: {error}"))
    report = verify_bundle(value, trust)
    verdict = verdict_of(report, options.require)
    if options.json:
        print(json.dumps({"verdict": verdict, **report.as_json()}, indent=2))
        return EXIT_CODES[verdict]
    for line in report.lines:
        print(f"{_MARKS[line.status]:<11}  {line.about}: {_clean(line.text)}")
    for at, facts in enumerate(report.facts, 1):
        print(f"Facts about answer {at}: {', '.join(facts) or 'none'}")
    print(_verdict_text(verdict, report, options.require))
    return EXIT_CODES[verdict]
