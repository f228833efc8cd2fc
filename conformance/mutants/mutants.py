"""The list of mutants: reading it, and checking it against the sources. README.md has the format."""
import dataclasses
import pathlib
import re


class ListError(Exception):
    """One line that names the place and the fix."""


@dataclasses.dataclass
class Mutant:
    id: str
    fault: str
    file: str
    place: str  # in the list
    old: list = dataclasses.field(default_factory=list)
    new: list = dataclasses.field(default_factory=list)
    equivalent: str = ""

    def applied_to(self, text):
        return text.replace("\n".join(self.old), "\n".join(self.new))


HEAD = re.compile(r"([a-z0-9_]+/[a-z0-9-]+): (.+)")


def read_list(path):
    found = []
    file = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        place = f"{path}:{number}"
        head = HEAD.fullmatch(line)
        if not line or line.startswith("#"):
            continue
        if line.startswith("file "):
            file = line[5:]
        elif line == "+" or line.startswith("+ "):
            last(found, place).new.append(line[2:])
        elif line == "-" or line.startswith("- "):
            last(found, place).old.append(line[2:])
        elif line.startswith("equivalent: "):
            last(found, place).equivalent = line[len("equivalent: "):]
        elif head and file:
            found.append(Mutant(head[1], head[2], file, place))
        else:
            raise ListError(f"{place}: want 'file PATH', 'ID: FAULT', '- TEXT', '+ TEXT' or 'equivalent: WHY'")
    return found


def last(found, place):
    if not found:
        raise ListError(f"{place}: a mutant begins with 'ID: FAULT'")
    return found[-1]


def read_lists(folder, root):
    found = [m for path in sorted(folder.glob("*.txt")) for m in read_list(path)]
    if not found:
        raise ListError(f"{folder}: no mutants: its *.txt files list them")
    check(found, root)
    return found


def check(found, root):
    """Each can be told apart, and its text is there exactly once."""
    ids = set()
    for m in found:
        if m.id in ids:
            raise ListError(f"{m.place}: {m.id} is there twice: choose another id")
        ids.add(m.id)
        if not m.old or not m.new or m.old == m.new:
            raise ListError(f"{m.place}: {m.id} changes nothing: give it '-' and '+' lines that differ")
        path = pathlib.Path(root) / m.file
        if not path.is_file():
            raise ListError(f"{m.place}: {m.id} is for {m.file}, which is not there: correct its 'file' line")
        times = path.read_text().count("\n".join(m.old))
        if times != 1:
            raise ListError(f"{m.place}: the text of {m.id} is {times} times in {m.file}, not once: make it fit")
