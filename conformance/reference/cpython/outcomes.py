"""What regrtest reported, test by test, and how it differs from CPython's own selector. Pure: nothing is run here."""

import collections
import dataclasses
import fnmatch
import json
import xml.etree.ElementTree

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


def read_report(path):
    """{test: outcome} of regrtest's XML. What the report counts but does not name is one more failed test."""
    outcomes = {}
    counted = 0
    for suite in xml.etree.ElementTree.parse(path).getroot().iter("testsuite"):
        counted += int(suite.get("errors")) + int(suite.get("failures"))
        for case in suite.iter("testcase"):
            kinds = {child.tag for child in case}
            outcome = FAILED if kinds & {"error", "failure", "outcome"} else SKIPPED if "skipped" in kinds else PASSED
            name = case.get("name", "").removeprefix("test.")
            if name and outcomes.get(name) != FAILED:
                outcomes[name] = outcome
    if counted > count(outcomes)[FAILED]:
        outcomes["(a failure outside of a test: see the log)"] = FAILED
    return outcomes


def count(outcomes):
    return collections.Counter(outcomes.values())


@dataclasses.dataclass(frozen=True)
class Deviation:
    suite: str
    backends: tuple
    test: str  # a pattern, as of a shell, for the end of the test's name
    outcome: str
    reason: str
    since: str

    def covers(self, test):
        return fnmatch.fnmatchcase(test, f"*.{self.test}")


def read_deviations(path):
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)["deviations"]
    deviations = [Deviation(**{**row, "backends": tuple(row["backends"])}) for row in rows]
    for deviation in deviations:
        if not deviation.reason or deviation.outcome not in (FAILED, SKIPPED):
            raise ValueError(f"{deviation.test}: needs a reason, and as outcome {FAILED} or {SKIPPED}")
    return deviations


def compare(baseline, ours, deviations):
    """(problems, tests that deviate as expected). `deviations` are those of this suite and backend."""
    problems, known = [], []
    used = set()
    for test in sorted(baseline.keys() | ours.keys()):
        before, now = baseline.get(test, "missing"), ours.get(test, "missing")
        expected = next((d for d in deviations if d.covers(test)), None)
        if expected is not None and now == expected.outcome != before:
            known.append(test)
            used.add(expected)
        elif expected is not None and now == PASSED:
            problems.append(f"{test} passes unexpectedly: take it out of the deviations")
            used.add(expected)
        elif now != PASSED and now != before:
            problems.append(f"{test} {now}; with CPython's own selector: {before}")
    problems += [f"the deviation {d.test} applies to nothing" for d in deviations if d not in used]
    if PASSED not in ours.values():
        problems.append("no test passed")
    return problems, known
