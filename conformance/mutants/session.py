"""Tries mutants, several at a time, each in a copy of the tree of its own."""
import collections
import concurrent.futures
import dataclasses
import shutil
import sys
import threading
import time

from mutants import ListError, Mutant
from trial import BuildError, Tree


@dataclasses.dataclass
class Result:
    mutant: Mutant
    suite: str = ""  # that killed it; "" for a survivor
    test: str = ""
    how: str = ""
    error: str = ""
    seconds: float = 0

    @property
    def killed(self):
        return bool(self.suite)


class Progress:
    """One line on a terminal; and every result in a log, as soon as it is known."""

    def __init__(self, total, log):
        self.total, self.done, self.survived = total, 0, 0
        self.lock = threading.Lock()
        log.parent.mkdir(parents=True, exist_ok=True)
        self.log = open(log, "w", buffering=1)

    @staticmethod
    def show(text):
        if sys.stdout.isatty():
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\033[K{text[:width]}", end="", flush=True)

    def note(self, r):
        with self.lock:
            self.done += 1
            self.survived += not r.killed and not r.error
            end = "does not compile" if r.error else f"{r.how} {r.suite} {r.test}" if r.killed else "survived"
            print(f"{r.mutant.id} ({r.seconds} s): {end}", file=self.log)
            self.show(f"{self.done} of {self.total}, {self.survived} survived; last: {r.mutant.id}")


def judge(tree, mutant):
    begun = time.monotonic()
    result = Result(mutant)
    try:
        tree.mutate(mutant)
        failure = tree.try_tests(mutant.file)
        # Whoever says that it cannot be killed must not be contradicted by chance.
        if failure and mutant.equivalent:
            failure = tree.try_tests(mutant.file)
        if failure:
            result.suite, result.test, result.how = failure
    except BuildError as e:
        result.error = str(e)
    result.seconds = round(time.monotonic() - begun, 1)
    return result


def in_parallel(work, trees):
    with concurrent.futures.ThreadPoolExecutor(len(trees)) as pool:
        list(pool.map(work, trees))


def prepare(trees, progress):
    """Builds every copy, and runs the tests of the sources as they are: a test that fails anyway kills nobody."""
    try:
        progress.show("building the copies of the tree (some minutes the first time)")
        in_parallel(Tree.prepare, trees)
        progress.show("running the tests without a mutant")
        failure = trees[0].try_tests("everything")
    except BuildError as e:
        raise ListError(f"the sources do not build: make them, first: {e}") from None
    if failure:
        raise ListError("{1} {2} ({0}) without any mutant: make the tests pass first".format(*failure))


def run_all(mutants, jobs, root):
    trees = [Tree(root, root / "build" / "mutants" / str(i)) for i in range(max(1, min(jobs, len(mutants))))]
    progress = Progress(len(mutants), root / "build" / "log" / "mutants.log")
    prepare(trees, progress)
    waiting = collections.deque(mutants)
    results = {}

    def work(tree):
        while True:
            try:
                mutant = waiting.popleft()
            except IndexError:
                return
            results[mutant.id] = judge(tree, mutant)
            progress.note(results[mutant.id])

    try:
        in_parallel(work, trees)
    finally:
        waiting.clear()
        progress.show("")
    return [results[m.id] for m in mutants]
