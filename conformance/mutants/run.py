#!/usr/bin/env python3
"""Small faults, one at a time, in lib/src: how many of them does the test suite notice? README.md has more."""
import argparse
import fnmatch
import json
import os
import pathlib
import sys
import time

import selftest
from mutants import ListError, read_lists
from reports import report, summary
from session import run_all

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def matches(mutant, glob):
    return fnmatch.fnmatchcase(mutant.id, glob) or fnmatch.fnmatchcase(mutant.file, glob)


def select(mutants, globs):
    for glob in globs:
        if not any(matches(m, glob) for m in mutants):
            raise ListError(f"no mutant and no file with mutants is called '{glob}': conformance/mutants/*.txt has the names")
    return [m for m in mutants if any(matches(m, glob) for glob in globs)]


def write(path, text):
    half = path.with_suffix(".half")
    half.write_text(text)
    half.replace(path)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="GLOB", action="append", help="mutants with such ids or files, as 'poll_set/*' or '*.hpp'; may be repeated")
    parser.add_argument("--check", action="store_true", help="only whether the list fits the sources")
    parser.add_argument("--self-test", action="store_true", help="whether faults that are known beforehand end as they must")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at a time")
    return parser.parse_args()


def try_all(chosen, jobs):
    folder = ROOT / "build" / "report"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("mutants.json", "mutants.md"):
        (folder / name).unlink(missing_ok=True)
    begun = time.monotonic()
    results = run_all(chosen, jobs, ROOT)
    broken = [r for r in results if r.error]
    data = summary([r for r in results if not r.error], time.monotonic() - begun)
    write(folder / "mutants.json", json.dumps(data, indent=1) + "\n")
    write(folder / "mutants.md", report(data))
    print(report(data), end="")
    for r in broken:
        print(f"mutants: {r.mutant.place}: {r.mutant.id} does not compile: {r.error}", file=sys.stderr)
    return 2 if broken else 0 if data["good"] else 1


def main():
    arguments = read_arguments()
    try:
        if arguments.self_test:
            return selftest.run(ROOT, arguments.jobs)
        chosen = select(read_lists(HERE, ROOT), arguments.only or ["*"])
        return 0 if arguments.check else try_all(chosen, arguments.jobs)
    except ListError as e:
        print(f"mutants: {e}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
