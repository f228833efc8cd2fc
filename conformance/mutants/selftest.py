"""Faults whose end is known beforehand, and lists that must be refused."""
import pathlib
import tempfile

from mutants import ListError, Mutant, read_lists
from session import run_all

FILE = "lib/src/wake_channel.cpp"
START = "  std::uint64_t wakes = 0;"
MADE = "if (fd < 0) return fault::from_errno(errno);"


def known(name, end, old, new, file=FILE):
    """The fault's description is its end."""
    return Mutant(f"selftest/{name}", end, file, "the self-test", [old], [new])


KNOWN = (
    known("no-op", "survived", START, START + "  // as before"),
    known("always-fails", "failed", MADE, "return fault::from_errno(EMFILE);"),
    known("crashes", "crashed", START, START + " __builtin_trap();"),
    known("hangs", "hung", START, START + " for (volatile int spin = 0; spin == 0;) continue;"),
    known("static-assertion", "refused", "return nanoseconds < 0 ? -1 : 0;", "return 0;", "lib/src/kernel_timeout.hpp"),
    known("no-program", "does not compile", START, START + " this is no C++"),
)

# What is wrong with a list, and a piece of what is said about it.
TEXT = "- std::uint64_t wakes = 0;\n+ std::uint64_t wakes = 1;\n"
BAD_LISTS = (
    (f"file {FILE}\na/b: c\n- no such text\n+ x\n", "is 0 times in"),
    (f"file {FILE}\na/b: c\n- fault::from_errno\n+ x\n", "not once"),
    (f"file {FILE}\na/b: c\n{TEXT}a/b: c\n{TEXT}", "is there twice"),
    (f"file {FILE}\na/b: c\n- fd\n+ fd\n", "changes nothing"),
    (f"file lib/src/none.cpp\na/b: c\n{TEXT}", "is not there"),
    (f"file {FILE}\nwhat is this\n", "list.txt:2"),
    (TEXT, "begins with"),
    ("", "no mutants"),
)


def ends_that_differ(root, jobs):
    for r in run_all(KNOWN, jobs, root):
        end = "does not compile" if r.error else r.how or "survived"
        if end != r.mutant.fault:
            yield f"{r.mutant.id} {end}, but should have: {r.mutant.fault}"


def lists_that_pass(root):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for text, complaint in BAD_LISTS:
            (folder / "list.txt").write_text(text)
            try:
                read_lists(folder, root)
                yield f"a bad list was taken ({complaint}): {text!r}"
            except ListError as e:
                if complaint not in str(e):
                    yield f"'{e}' does not say '{complaint}'"


def run(root, jobs):
    wrong = [*lists_that_pass(root), *ends_that_differ(root, jobs)]
    for text in wrong:
        print(f"FAILED  {text}")
    if not wrong:
        print(f"ok      {len(KNOWN)} known faults ended as they must, and {len(BAD_LISTS)} bad lists are refused")
    return 1 if wrong else 0
