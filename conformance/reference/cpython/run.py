#!/usr/bin/env python3
"""Runs CPython's own test suites over selectors_native, and beside it over CPython's own selector."""

import argparse
import concurrent.futures
import dataclasses
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import outcomes

HERE = pathlib.Path(__file__).resolve().parent
SUITES = ("test_asyncio", "test_selectors")  # the long one first, so that the others run beside it
BACKENDS = ("adaptive", "epoll", "poll", "select")
BASELINE = "CPython"
running = set()  # the suites, to be ended with this program


@dataclasses.dataclass
class Run:
    suite: str
    selector: str
    outcomes: dict = dataclasses.field(default_factory=dict)
    proof: dict = dataclasses.field(default_factory=dict)
    seconds: float = 0
    problems: list = dataclasses.field(default_factory=list)
    known: list = dataclasses.field(default_factory=list)
    at_second: list = dataclasses.field(default_factory=list)  # problems of a first run that the second had not


def planned(every_backend):
    for suite in SUITES:
        some = BACKENDS if every_backend or suite == "test_selectors" else BACKENDS[:1]
        yield from (Run(suite, selector) for selector in (BASELINE, *some))


def environment(run, package, proof):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SELECTORS_"))}
    clean["PYTHONPATH"] = os.pathsep.join([str(HERE / "site"), str(package)])
    clean["PYTHONDONTWRITEBYTECODE"] = "1"
    if run.selector != BASELINE:
        clean |= {"SELECTORS_SUBSTITUTE": run.selector, "SELECTORS_PROOF": str(proof)}
    return clean


def execute(run, arguments):
    folder = arguments.work / f"{run.suite}-{run.selector}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    report, output = folder / "report.xml", folder / "output.txt"
    command = [sys.executable, str(HERE / "regrtest.py"), "-v", "--timeout", str(arguments.timeout)]
    command += ["--junit-xml", str(report), run.suite]
    started = time.monotonic()
    code = finished(command, environment(run, arguments.package, folder), output, arguments.timeout + 60)
    run.seconds = time.monotonic() - started
    if report.exists():
        run.outcomes = outcomes.read_report(report)
        if code != 0 and outcomes.FAILED not in run.outcomes.values():
            run.problems.append(f"code {code} although no test failed; see {output}")
    else:
        run.problems.append(f"it did not finish (code {code}): {last_line(output)}; see {output}")
    if run.selector != BASELINE:
        run.proof = read_proof(folder)
    return run


def execute_all(runs, arguments):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        try:
            for future in concurrent.futures.as_completed([pool.submit(execute, run, arguments) for run in runs]):
                run = future.result()
                print(f"{run.suite} over {run.selector}: {run.seconds:.0f} s", flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in list(running):
                child.kill()
            raise


def last_line(path):
    """Of the tests, not of the traces after them: where it hung, or died."""
    with open(path, encoding="utf-8", errors="replace") as output:
        started = [line.strip() for line in output if line.startswith("test_")]
    return started[-1] if started else "nothing was run"


def finished(command, env, output, timeout):
    """The exit code. regrtest ends a suite that hangs by itself; this is for when it cannot."""
    with open(output, "w", encoding="utf-8") as file:
        child = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)
    running.add(child)
    try:
        return child.wait(timeout)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()
    finally:
        running.discard(child)


def read_proof(folder):
    proofs = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")]
    total = {name: sum(p[name] for p in proofs) for name in ("selectors", "waits", "entries", "interruptions")}
    return {**total, "in_place": all(p["in_place"] for p in proofs)}


def judge(run, baseline, deviations):
    if run.problems or baseline.problems:
        return
    applying = [d for d in deviations if d.suite == run.suite and run.selector in d.backends]
    run.problems, run.known = outcomes.compare(baseline.outcomes, run.outcomes, applying)
    if not run.proof["selectors"] or not run.proof["waits"]:
        run.problems.append("the C++ library was not used")
    if not run.proof["in_place"]:
        run.problems.append("a process put another selector in its place")


def second_run(first, baseline, deviations, arguments):
    """Some of these tests have no time to lose on a busy machine: what fails gets one more run, by itself."""
    run = execute(Run(first.suite, first.selector), arguments)
    passed_before = {test: result for test, result in first.outcomes.items() if result == outcomes.PASSED}
    run.outcomes |= passed_before
    judge(run, baseline, deviations)
    run.at_second = [problem for problem in first.problems if problem not in run.problems]
    return run


def table(runs):
    columns = ("passed", "failed", "skipped", "known", "selectors made", "waits in C++", "entries", "seconds")
    yield f"| suite | selector | {' | '.join(columns)} |"
    yield f"|---|---|{'--:|' * len(columns)}"
    for run in sorted(runs, key=lambda r: (r.suite != "test_selectors", r.selector != BASELINE, r.selector)):
        tally = outcomes.count(run.outcomes)
        counted = [tally[kind] for kind in (outcomes.PASSED, outcomes.FAILED, outcomes.SKIPPED)]
        proof = [run.proof.get(name, "-") for name in ("selectors", "waits", "entries")]
        cells = [run.suite, run.selector, *counted, len(run.known), *proof, f"{run.seconds:.0f}"]
        yield "| " + " | ".join(map(str, cells)) + " |"


def remarks(runs, deviations):
    for run in runs:
        yield from (f"FAILED {run.suite} over {run.selector}: {problem}" for problem in run.problems)
        yield from (f"at the second run only, {run.suite} over {run.selector}: {problem}" for problem in run.at_second)
    for d in deviations:
        over = [run.selector for run in runs if run.suite == d.suite and run.selector in d.backends]
        if over:
            yield f"known: {d.suite} over {', '.join(over)}: {d.test} {d.outcome}. {d.reason}"
    alike = sum(outcomes.count(run.outcomes)[outcomes.PASSED] for run in runs if run.selector != BASELINE)
    known, problems = (sum(len(getattr(run, kind)) for run in runs) for kind in ("known", "problems"))
    yield f"{alike} passed over the library, {known} deviate as known, {problems} problems"


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def parse_arguments():
    parser = Parser(description=__doc__)
    parser.add_argument("--package", type=pathlib.Path, required=True, help="the folder that holds selectors_native")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="the folder for output and reports")
    parser.add_argument("--table", type=pathlib.Path, required=True, help="the Markdown file to write")
    parser.add_argument("--all", action="store_true", help="test_asyncio over every backend, not the default one only")
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1), help="suites at a time (%(default)s)")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one suite (%(default)s)")
    arguments = parser.parse_args()
    arguments.package, arguments.work = arguments.package.resolve(), arguments.work.resolve()
    if not (arguments.package / "selectors_native" / "__init__.py").exists():
        parser.error(f"no selectors_native in {arguments.package}: build it first")
    for suite in SUITES:
        if importlib.util.find_spec(f"test.{suite}") is None:
            parser.error(f"{sys.executable} has no test.{suite}: install the test suite of its distribution")
    return arguments


def main():
    arguments = parse_arguments()
    runs = list(planned(arguments.all))
    execute_all(runs, arguments)
    baselines = {run.suite: run for run in runs if run.selector == BASELINE}
    deviations = outcomes.read_deviations(HERE / "deviations.json")
    for i, run in enumerate(runs):
        if run.selector != BASELINE:
            judge(run, baselines[run.suite], deviations)
            if run.problems:
                runs[i] = second_run(run, baselines[run.suite], deviations, arguments)
    text = "\n".join([*table(runs), "", *(f"- {remark}" for remark in remarks(runs, deviations))])
    arguments.table.write_text(text + "\n", encoding="utf-8")
    return 1 if any(run.problems for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
