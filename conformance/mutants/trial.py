"""A copy of the tree, in which one mutant after the other is built and put before the tests."""
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import time

FOLDERS = ("lib", "conformance")
FILES = ("CMakeLists.txt",)
LIBRARY = "lib/selectors"
CASES = "conformance/selectors-conformance"
UNITS = "lib/tests/selectors_tests"
ALLOCATIONS = "lib/tests/selectors_allocation_tests"
SLOW = "Of/Competitive.*"  # seconds of computing, about the cost model alone
LIMIT = 30  # seconds; without a fault no stage takes more than ten
SHARDS = 12  # the cases mostly wait
SUBJECTS = (("select_backend", "select/*"), ("poll_backend", "poll/*"), ("adaptive", "adaptive*"), ("cost_model", "adaptive*"))

# Compiled quickly; and with a shared library nothing has to be linked again.
CONFIGURATION = ("-G", "Ninja", "-DSELECTORS_BUILD_PERF=OFF", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
                 "-DBUILD_SHARED_LIBS=ON", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON")


@dataclasses.dataclass(frozen=True)
class Stage:
    suite: str
    program: str
    chosen: str
    shards: int = 1


def stages_for(file):
    """What may notice a fault there, the cheapest first."""
    name = pathlib.Path(file).name
    subjects = next((s for part, s in SUBJECTS if name.startswith(part)), "*")
    stages = [
        Stage("unit", UNITS, "-" + SLOW),
        Stage("unit", ALLOCATIONS, "*"),
        Stage("conformance", CASES, subjects + "-liars/*", SHARDS),
    ]
    return stages + [Stage("unit", UNITS, SLOW)] * name.startswith("cost_model")


class BuildError(Exception):
    """The end of what the compiler said."""


class Tree:
    """Below `folder`; never the sources themselves."""

    def __init__(self, root, folder):
        self.root = pathlib.Path(root)
        self.source = folder / "tree"
        self.build_folder = folder / "build"
        self.marker = f"SELECTORS_MUTANT={os.getpid()}-{folder.name}"
        self.mutated = None

    def prepare(self):
        """The same files as the sources', and touched only where they differ: so that little is compiled again."""
        wanted = {pathlib.Path(f) for f in FILES}
        for top in FOLDERS:
            wanted |= {p.relative_to(self.root) for p in (self.root / top).rglob("*") if p.is_file()}
        for path in wanted:
            self.restore(path)
        for path in self.source.rglob("*"):
            if path.is_file() and path.relative_to(self.source) not in wanted:
                path.unlink()
        self.run(["cmake", "-S", self.source, "-B", self.build_folder, *CONFIGURATION])
        for program in (UNITS, ALLOCATIONS, CASES):
            self.build(program)

    def restore(self, path):
        copy = self.source / path
        text = (self.root / path).read_bytes()
        if not copy.is_file() or copy.read_bytes() != text:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(text)

    def mutate(self, mutant):
        if self.mutated and self.mutated != mutant.file:
            self.restore(self.mutated)
        self.mutated = mutant.file
        (self.source / mutant.file).write_text(mutant.applied_to((self.root / mutant.file).read_text()))

    def build(self, program):
        self.run(["cmake", "--build", self.build_folder, "-j", "1", "--target", pathlib.Path(program).name])

    @staticmethod
    def run(command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
        if done.returncode != 0:
            errors = [line for line in done.stdout.splitlines() if "error:" in line]
            raise BuildError("\n".join(errors[:5] or done.stdout.splitlines()[-5:]))

    def try_tests(self, file):
        """(suite, test, how) of the first failure; None when there was none."""
        self.build(LIBRARY)
        for stage in stages_for(file):
            try:
                self.build(stage.program)
            except BuildError as e:  # a static_assert is a test, too
                return stage.suite, str(e).splitlines()[0].rsplit("/", 1)[-1], "refused"
            running = [self.start(stage, i) for i in range(stage.shards)]
            try:
                failure = self.watch(running, LIMIT)
            finally:
                self.end_all(running)
            if failure:
                return (stage.suite, *failure)
        return None

    def start(self, stage, index):
        output = self.build_folder / f"output-{index}.txt"
        name, value = self.marker.split("=")
        environment = {**os.environ, name: value, "GTEST_FAIL_FAST": "1", "GTEST_TOTAL_SHARDS": str(stage.shards),
                       "GTEST_SHARD_INDEX": str(index)}
        with open(output, "wb") as out:
            command = [self.build_folder / stage.program, f"--gtest_filter={stage.chosen}"]
            return output, subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                            env=environment)

    @staticmethod
    def watch(running, limit):
        """Counts looks, not the clock: a process group that is stopped for a while has not hung."""
        look = 0.02
        for _ in range(int(limit / look)):
            ended = [(output, p) for output, p in running if p.poll() is not None]
            for output, p in ended:
                if p.returncode != 0:
                    return failure_of(output, "crashed" if p.returncode < 0 else "failed")
            if len(ended) == len(running):
                return None
            time.sleep(look)
        output = next(output for output, p in running if p.poll() is None)
        return failure_of(output, "hung")

    def end_all(self, running):
        """With the children that they left behind, which are known by their environment."""
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if self.marker.encode() in path.read_bytes().split(b"\0"):
                    os.kill(int(path.parent.name), signal.SIGKILL)
            except OSError:
                continue
        for _, p in running:
            p.kill()
            p.wait()


def failure_of(output, how):
    """The test, as far as the output tells, and how it went."""
    text = output.read_text(errors="replace")
    failed = re.search(r"^\[  FAILED  \] ([^\s,]+)", text, re.MULTILINE)
    begun = re.findall(r"^\[ RUN      \] (\S+)", text, re.MULTILINE)
    test = failed[1] if failed and how == "failed" else begun[-1] if begun else "before the first test"
    return test, how
