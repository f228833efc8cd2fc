"""What CPython's own suites do not ask: they run too, see conformance/reference/cpython."""

import contextlib
import errno
import gc
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import weakref
from selectors import EVENT_READ, EVENT_WRITE

import selectors_native as native

CLASSES = (native.AdaptiveSelector, native.EpollSelector, native.PollSelector, native.SelectSelector)
SOON = 20  # seconds: a deadline for what has to happen, not a pause


class Anything:
    pass


def over_every_class(test):
    def over_all(self):
        for cls in CLASSES:
            with self.subTest(cls.__name__), cls() as selector:
                self.ends = socket.socketpair()
                try:
                    test(self, selector, *self.ends)
                finally:
                    for end in self.ends:
                        end.close()

    return over_all


@contextlib.contextmanager
def alarm(handler, seconds=0.05):
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Errors(unittest.TestCase):
    @over_every_class
    def test_a_second_registration_is_a_key_error_that_names_the_object(self, s, a, b):
        s.register(a, EVENT_READ)
        with self.assertRaisesRegex(KeyError, "socket.*is already registered"):
            s.register(a, EVENT_WRITE)

    @over_every_class
    def test_an_unknown_object_is_a_key_error(self, s, a, b):
        for verb in (s.unregister, s.get_key, lambda f: s.modify(f, EVENT_READ)):
            with self.assertRaisesRegex(KeyError, "socket.*is not registered"):
                verb(a)

    @over_every_class
    def test_bad_arguments_are_value_errors(self, s, a, b):
        s.register(b, EVENT_READ)
        for events in (0, 4, 8, 7, -1, 1 << 40):
            self.assertRaises(ValueError, s.register, a, events)
            self.assertRaises(ValueError, s.modify, b, events)
        for number in (-1, 2**31, 2**200):
            self.assertRaises(ValueError, s.register, number, EVENT_READ)
        self.assertRaises(KeyError, s.unregister, 2**200)
        self.assertRaises(ValueError, s.register, object(), EVENT_READ)
        self.assertRaises(ValueError, s.select, float("nan"))
        self.assertRaises(TypeError, s.select, "soon")
        self.assertEqual(s.get_key(b).events, EVENT_READ)

    @over_every_class
    def test_a_closed_selector_is_a_runtime_error(self, s, a, b):
        s.register(b, EVENT_READ)
        s.close()
        s.close()
        self.assertRaises(RuntimeError, s.register, a, EVENT_READ)
        self.assertRaises(RuntimeError, s.unregister, b.fileno())
        self.assertRaises(RuntimeError, s.modify, b.fileno(), EVENT_READ)
        self.assertRaises(RuntimeError, s.select, 0)
        self.assertRaises(RuntimeError, s.get_key, b)
        self.assertIsNone(s.get_map())

    def test_what_the_kernel_says_is_an_os_error(self):
        with native.EpollSelector() as s, tempfile.TemporaryFile() as file:
            self.assertRaises(PermissionError, s.register, file, EVENT_READ)
            self.assertNotIn(file, s.get_map())
        with native.EpollSelector() as s:
            with socket.socket() as closed:
                number = closed.fileno()
            with self.assertRaises(OSError) as caught:
                s.register(number, EVENT_READ)
            self.assertEqual(caught.exception.errno, errno.EBADF)

    def test_select_refuses_numbers_from_fd_setsize_on(self):
        with native.SelectSelector() as s:
            self.assertRaises(ValueError, s.register, 1024, EVENT_READ)

    @over_every_class
    def test_a_modify_that_fails_leaves_the_registration(self, s, a, b):
        key = s.register(a, EVENT_WRITE, "data")
        self.assertRaises(ValueError, s.modify, a, 4, "other")
        self.assertEqual(s.get_key(a), key)
        self.assertEqual(s.select(0), [(key, EVENT_WRITE)])


class Readiness(unittest.TestCase):
    @over_every_class
    def test_only_what_was_asked_for_is_reported(self, s, a, b):
        key = s.register(a, EVENT_READ)
        self.assertEqual(s.select(0), [])
        b.send(b"x")
        self.assertEqual(s.select(SOON), [(key, EVENT_READ)])
        key = s.modify(a, EVENT_WRITE)
        self.assertEqual(s.select(SOON), [(key, EVENT_WRITE)])

    @over_every_class
    def test_the_end_of_the_peer_can_be_read(self, s, a, b):
        for reader, writer in (os.pipe(), (a.detach(), b.detach())):
            try:
                key = s.register(reader, EVENT_READ)
                self.assertEqual(s.select(0), [])
                os.close(writer)
                self.assertEqual(s.select(SOON), [(key, EVENT_READ)])
                s.unregister(reader)
            finally:
                os.close(reader)

    @over_every_class
    def test_everything_that_is_ready_is_reported_at_once(self, s, a, b):
        with contextlib.ExitStack() as opened:
            for _ in range(100):
                pair = socket.socketpair()
                s.register(opened.enter_context(pair[0]), EVENT_WRITE)
                opened.enter_context(pair[1])
            self.assertEqual(len(s.select()), 100)

    @over_every_class
    def test_a_closed_descriptor_does_not_hide_another_and_can_be_unregistered(self, s, a, b):
        key = s.register(a, EVENT_WRITE)
        stale = socket.socket()
        s.register(stale, EVENT_READ, "stale")
        stale.close()
        self.assertIn((key, EVENT_WRITE), s.select(SOON))
        self.assertEqual(s.unregister(stale).data, "stale")
        self.assertEqual(s.select(SOON), [(key, EVENT_WRITE)])

    @over_every_class
    def test_any_timeout_is_taken(self, s, a, b):
        s.register(a, EVENT_WRITE)
        for seconds in (None, 0, -1, -1e300, 1e300, float("inf"), 10**30, True):
            self.assertEqual(len(s.select(seconds)), 1)
        s.modify(a, EVENT_READ)
        started = time.monotonic()
        self.assertEqual(s.select(0.0123), [])
        self.assertGreaterEqual(time.monotonic() - started, 0.0123)

    def test_a_handle_can_be_nested(self):
        a, b = socket.socketpair()
        with a, b, native.PollSelector() as outer:
            for cls in (native.AdaptiveSelector, native.EpollSelector):
                with self.subTest(cls.__name__), cls() as inner:
                    inner.register(a, EVENT_READ)
                    key = outer.register(inner, EVENT_READ)
                    self.assertEqual(outer.select(0), [])
                    b.send(b"x")
                    self.assertEqual(outer.select(SOON), [(key, EVENT_READ)])
                    a.recv(1)
                    outer.unregister(inner)


class Signals(unittest.TestCase):
    @over_every_class
    def test_a_handler_runs_while_the_wait_goes_on_to_its_end(self, s, a, b):
        s.register(a, EVENT_READ)
        ran = []
        started = time.monotonic()
        with alarm(lambda *_: ran.append("handler")):
            self.assertEqual(s.select(0.3), [])
        self.assertGreaterEqual(time.monotonic() - started, 0.3)
        self.assertEqual(ran, ["handler"])

    @over_every_class
    def test_what_a_handler_raises_leaves_the_wait_and_the_selector_usable(self, s, a, b):
        key = s.register(a, EVENT_READ)

        def handler(*_):
            raise ZeroDivisionError

        with alarm(handler), self.assertRaises(ZeroDivisionError):
            s.select(SOON)
        b.send(b"x")
        self.assertEqual(s.select(SOON), [(key, EVENT_READ)])

    @over_every_class
    def test_a_handler_may_use_the_selector(self, s, a, b):
        s.register(a, EVENT_READ)
        with alarm(lambda *_: s.register(b, EVENT_WRITE, "from the handler")):
            ((key, events),) = s.select(SOON)
        self.assertEqual((key.data, events), ("from the handler", EVENT_WRITE))

    @over_every_class
    def test_a_handler_may_close_the_selector(self, s, a, b):
        s.register(a, EVENT_READ)
        with alarm(lambda *_: s.close()), self.assertRaises(RuntimeError):
            s.select(SOON)


class Threads(unittest.TestCase):
    @over_every_class
    def test_other_threads_run_while_one_waits_but_may_not_use_the_selector(self, s, a, b):
        key = s.register(a, EVENT_READ)
        found = []
        thread = threading.Thread(target=lambda: found.extend(s.select(SOON)))
        thread.start()
        refused = None
        deadline = time.monotonic() + SOON
        while refused is None and time.monotonic() < deadline:
            try:
                s.get_key(a)
            except RuntimeError as e:
                refused = e
        self.assertRegex(str(refused), "another thread")
        for verb in (s.close, lambda: s.register(b, EVENT_READ), lambda: s.unregister(a), lambda: s.select(0)):
            self.assertRaises(RuntimeError, verb)
        gc.collect()
        b.send(b"x")
        thread.join(SOON)
        self.assertEqual(found, [(key, EVENT_READ)])


class Lifetime(unittest.TestCase):
    @over_every_class
    def test_data_is_kept_as_long_as_its_registration(self, s, a, b):
        watched = []
        for end in (lambda: s.modify(a, EVENT_READ, None), lambda: s.unregister(a), s.close):
            data = Anything()
            watched.append(weakref.ref(data))
            if a not in s.get_map():
                s.register(a, EVENT_READ)
            s.modify(a, EVENT_READ, data)
            s.select(0)
            del data
            self.assertIsNotNone(watched[-1]())
            end()
            self.assertIsNone(watched[-1]())

    @over_every_class
    def test_a_selector_that_nobody_refers_to_is_gone_at_once(self, s, a, b):
        dropped = type(s)()
        dropped.register(a, EVENT_READ)
        self.assertEqual(list(dropped.get_map()), [a.fileno()])
        gone = weakref.ref(dropped)
        del dropped
        self.assertIsNone(gone())

    @over_every_class
    def test_a_cycle_through_the_data_is_collected(self, s, a, b):
        data = Anything()
        data.selector = type(s)()
        data.selector.register(a, EVENT_READ, data)
        gone = weakref.ref(data)
        del data
        gc.collect()
        self.assertIsNone(gone())

    @over_every_class
    def test_a_child_is_told_and_may_begin_anew(self, s, a, b):
        key = s.register(a, EVENT_WRITE)
        child = os.fork()
        if child == 0:
            code = 1
            with contextlib.suppress(BaseException):
                try:
                    s.select(0)
                except RuntimeError:
                    s.reinit_after_fork()
                    code = 0 if s.select(0) == [(key, EVENT_WRITE)] else 2
                s.close()
            os._exit(code)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(s.select(SOON), [(key, EVENT_WRITE)])

    def test_the_environment_names_the_default(self):
        program = "import selectors_native; print(selectors_native.DefaultSelector.__name__)"
        for cls in CLASSES:
            child = subprocess.run(
                [sys.executable, "-c", program],
                env={**os.environ, "SELECTORS_BACKEND": cls._backend},
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertEqual(child.stdout.strip(), cls.__name__)

    @over_every_class
    def test_what_the_library_did_is_counted(self, s, a, b):
        s.register(a, EVENT_WRITE)
        before = native.totals()
        s.select()
        after = native.totals()
        self.assertEqual((after["waits"] - before["waits"], after["entries"] - before["entries"]), (1, 1))


if __name__ == "__main__":
    unittest.main()
