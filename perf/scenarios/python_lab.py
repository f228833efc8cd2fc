"""The lab of the original write-up, on this machine's Python: selectors.DefaultSelector and select.select.

Prints one JSON object. Each arm: 2000 iterations with timeout 0 over socket pairs that hold one ready byte,
seven rounds, p50.
"""

import argparse
import contextlib
import json
import platform
import select
import selectors
import socket
import statistics
import time

SIZES = (8, 32, 128)


@contextlib.contextmanager
def loaded_sockets(count):
    with contextlib.ExitStack() as stack:
        readers = []
        for _ in range(count):
            reader, writer = (stack.enter_context(s) for s in socket.socketpair())
            reader.setblocking(False)
            writer.setblocking(False)
            writer.send(b"x")
            readers.append(reader)
        yield readers


def recreate(readers):
    selector = selectors.DefaultSelector()
    for reader in readers:
        selector.register(reader, selectors.EVENT_READ)
    ready = selector.select(timeout=0)
    selector.close()
    return len(ready)


def p50_seconds(work, expected, iterations, rounds):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(iterations):
            found = work()
        times.append(time.perf_counter() - start)
        if found != expected:
            raise SystemExit(f"python_lab.py: found {found} ready, expected {expected}")
    return statistics.median(times)


def cases():
    """Yields (name, work, expected number of ready sockets)."""
    for count in SIZES:
        with loaded_sockets(count) as readers:
            yield f"recreate/{count}", lambda: recreate(readers), count
            with selectors.DefaultSelector() as kept:
                for reader in readers:
                    kept.register(reader, selectors.EVENT_READ)
                yield f"reuse/{count}", lambda: len(kept.select(timeout=0)), count
            yield f"select/{count}", lambda: len(select.select(readers, [], [], 0)[0]), count
    with selectors.DefaultSelector() as empty:
        yield "empty/selector", lambda: len(empty.select(timeout=0)), 0
    yield "empty/select", lambda: len(select.select([], [], [], 0)[0]), 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    if options.iterations < 1 or options.rounds < 1:
        parser.error("--iterations and --rounds must be at least 1")
    arms = {}
    for name, work, expected in cases():
        p50 = p50_seconds(work, expected, options.iterations, options.rounds)
        arms[name] = {"p50_s": p50, "ops_per_second": options.iterations / p50}
    result = {
        "python": platform.python_version(),
        "backend": selectors.DefaultSelector.__name__,
        "iterations": options.iterations,
        "rounds": options.rounds,
        "arms": arms,
    }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
