"""For the cross-test: reads lines of JSON {bundle, trust}, writes the report of each as a line. Runs no shell, asks no server."""

import json
import sys

from assay_verify import Trust, verify_bundle

BYTES = ("validators_hash", "state_root")


def _trust(given):
    found = dict(given)
    for name in BYTES:
        if name in found:
            found[name] = bytes.fromhex(found[name])
    if "header_hashes" in found:
        found["header_hashes"] = [bytes.fromhex(each) for each in found["header_hashes"]]
    if "now_ns" in found:
        found["now_ns"] = int(found["now_ns"])
    return Trust(**found)


for line in sys.stdin:
    case = json.loads(line)
    report = verify_bundle(case["bundle"], _trust(case["trust"]))
    print(json.dumps(report.as_json()))
