"""selectors.BaseSelector over the C++ library `selectors`.

The registration table, the keys and the readiness are the library's; this file turns file objects into descriptors
and the library's errors into messages that name them.
"""

from collections.abc import Mapping
from selectors import EVENT_READ, EVENT_WRITE, BaseSelector, SelectorKey

from . import _core
from ._core import totals

__all__ = [
    "EVENT_READ",
    "EVENT_WRITE",
    "AdaptiveSelector",
    "DefaultSelector",
    "EpollSelector",
    "PollSelector",
    "SelectSelector",
    "SelectorKey",
    "totals",
]


def _descriptor(fileobj):
    if isinstance(fileobj, int):
        fd = fileobj
    else:
        try:
            fd = int(fileobj.fileno())
        except (AttributeError, TypeError, ValueError):
            raise ValueError(f"Invalid file object: {fileobj!r}") from None
    if fd < 0:
        raise ValueError(f"Invalid file descriptor: {fd}")
    return fd


def _events(events):
    if not events or events & ~(EVENT_READ | EVENT_WRITE):
        raise ValueError(f"Invalid events: {events!r}")
    return events


class _Map(Mapping):
    """A live, read-only view: file objects and descriptors to keys."""

    def __init__(self, selector):
        self._selector = selector

    def __len__(self):
        return len(self._selector._core)

    def __iter__(self):
        return iter(self._selector._core.descriptors())

    def __getitem__(self, fileobj):
        if self._selector._core.closed:
            raise KeyError(f"{fileobj!r} is not registered")
        return self._selector.get_key(fileobj)


class _NativeSelector(BaseSelector):
    _backend = None

    def __init__(self):
        self._core = _core.Core(self._backend)

    def _registered(self, fileobj):
        """The descriptor; of a registered object also when it has been closed since."""
        try:
            return _descriptor(fileobj)
        except ValueError:
            for fd in self._core.descriptors():
                if self._core.get(fd).fileobj is fileobj:
                    return fd
            raise

    def register(self, fileobj, events, data=None):
        key = SelectorKey(fileobj, _descriptor(fileobj), _events(events), data)
        try:
            self._core.register(key.fd, events, key)
        except KeyError:
            raise KeyError(f"{fileobj!r} (FD {key.fd}) is already registered") from None
        return key

    def unregister(self, fileobj):
        try:
            return self._core.unregister(self._registered(fileobj))
        except KeyError:
            raise KeyError(f"{fileobj!r} is not registered") from None

    def modify(self, fileobj, events, data=None):
        """Unlike the standard library's: one that fails leaves the registration as it was."""
        try:
            key = self._core.get(self._registered(fileobj))._replace(events=_events(events), data=data)
            self._core.modify(key.fd, events, key)
        except KeyError:
            raise KeyError(f"{fileobj!r} is not registered") from None
        return key

    def select(self, timeout=None):
        return self._core.select(timeout)

    def get_key(self, fileobj):
        try:
            return self._core.get(self._registered(fileobj))
        except KeyError:
            raise KeyError(f"{fileobj!r} is not registered") from None

    def get_map(self):
        return None if self._core.closed else _Map(self)

    def close(self):
        self._core.close()

    def reinit_after_fork(self):
        """In a child process: watches everything again, apart from the parent."""
        self._core.reinit_after_fork()


class _WithHandle(_NativeSelector):
    def fileno(self):
        """A descriptor that polls readable when select(0) would return something."""
        return self._core.fileno()


class AdaptiveSelector(_WithHandle):
    """poll(2) and epoll(7), whichever is cheaper at the moment."""

    _backend = "adaptive"


class EpollSelector(_WithHandle):
    """epoll(7)."""

    _backend = "epoll"


class PollSelector(_NativeSelector):
    """poll(2)."""

    _backend = "poll"


class SelectSelector(_NativeSelector):
    """select(2): descriptors below FD_SETSIZE."""

    _backend = "select"


#: What the environment variable SELECTORS_BACKEND names, else AdaptiveSelector.
DefaultSelector = {
    cls._backend: cls for cls in (AdaptiveSelector, EpollSelector, PollSelector, SelectSelector)
}[_core.default_backend()]
