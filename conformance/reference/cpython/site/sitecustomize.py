"""Puts selectors_native in the place of CPython's own selectors, in this process and in those that it starts.

SELECTORS_SUBSTITUTE names the backend; without it nothing happens. When the process ends, what the C++ library did in
it is written to the folder SELECTORS_PROOF.
"""

import os


def substitute(backend, proof):
    import atexit
    import json
    import selectors
    import selectors_native

    substituted = ("DefaultSelector", "EpollSelector", "PollSelector", "SelectSelector")
    cls = getattr(selectors_native, backend.capitalize() + "Selector")
    for name in substituted:
        setattr(selectors, name, cls)

    @atexit.register
    def prove():
        done = selectors_native.totals()
        done["in_place"] = all(getattr(selectors, name) is cls for name in substituted)
        with open(os.path.join(proof, f"{os.getpid()}.json"), "w", encoding="utf-8") as file:
            json.dump(done, file)


if "SELECTORS_SUBSTITUTE" in os.environ:
    substitute(os.environ["SELECTORS_SUBSTITUTE"], os.environ["SELECTORS_PROOF"])
