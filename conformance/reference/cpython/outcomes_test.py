"""The judge of the runner on trial: what has to be a problem is one."""

import pathlib
import tempfile
import unittest

import run
from outcomes import FAILED, PASSED, SKIPPED, Deviation, compare, read_deviations, read_report


def deviation(test, outcome):
    return Deviation("suite", ("epoll",), test, outcome, "a reason", "0.1.0")


class Compare(unittest.TestCase):
    baseline = {"s.C.test_a": PASSED, "s.C.test_b": PASSED, "s.C.test_c": SKIPPED}

    def problems(self, *deviations, **changed):
        ours = {**self.baseline, **{f"s.C.{test}": outcome for test, outcome in changed.items()}}
        return compare(self.baseline, ours, deviations)[0]

    def test_the_same_outcomes_are_no_problem(self):
        self.assertEqual(self.problems(), [])

    def test_a_test_that_fails_or_is_skipped_is_a_problem(self):
        self.assertRegex(self.problems(test_a=FAILED)[0], "test_a failed; with CPython's own selector: passed")
        self.assertRegex(self.problems(test_a=SKIPPED)[0], "test_a skipped")
        self.assertRegex(self.problems(test_c=FAILED)[0], "test_c failed")
        self.assertRegex(self.problems(test_new=FAILED)[0], "test_new failed")

    def test_a_test_that_did_not_run_is_a_problem(self):
        self.assertRegex(compare(self.baseline, {"s.C.test_a": PASSED}, [])[0][0], "test_b missing")

    def test_a_suite_without_a_passed_test_is_a_problem(self):
        self.assertIn("no test passed", compare({}, {}, [])[0])

    def test_what_fails_with_cpythons_own_selector_too_is_not_ours(self):
        self.assertEqual(compare({"a": FAILED, "b": PASSED}, {"a": FAILED, "b": PASSED}, [])[0], [])

    def test_a_known_deviation_is_no_problem(self):
        self.assertEqual(self.problems(deviation("C.test_a", FAILED), test_a=FAILED), [])

    def test_a_known_deviation_in_another_way_is_a_problem(self):
        self.assertTrue(self.problems(deviation("C.test_a", FAILED), test_a=SKIPPED))

    def test_an_unexpected_pass_is_a_problem(self):
        self.assertRegex(self.problems(deviation("C.test_a", FAILED))[0], "test_a passes unexpectedly")

    def test_a_deviation_of_nothing_is_a_problem(self):
        self.assertEqual(self.problems(deviation("gone", FAILED)), ["the deviation gone applies to nothing"])


class Report(unittest.TestCase):
    def read(self, cases, errors=0, failures=0):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report.xml"
            path.write_text(
                f'<testsuites><testsuite errors="{errors}" failures="{failures}">{cases}</testsuite></testsuites>',
                encoding="utf-8",
            )
            return read_report(path)

    def test_each_outcome_is_read(self):
        cases = (
            '<testcase name="test.s.ok"/><testcase name="test.s.skip"><skipped>why</skipped></testcase>'
            '<testcase name="test.s.fail"><failure/></testcase><testcase name="test.s.error"><error/></testcase>'
            '<testcase name="test.s.lucky"><outcome>UNEXPECTED_SUCCESS</outcome></testcase>'
        )
        expected = {"s.ok": PASSED, "s.skip": SKIPPED, "s.fail": FAILED, "s.error": FAILED, "s.lucky": FAILED}
        self.assertEqual(self.read(cases, 1, 1), expected)

    def test_a_failure_that_is_counted_but_not_named_is_not_lost(self):
        self.assertIn(FAILED, self.read('<testcase name="test.s.ok"/><testcase/>', failures=1).values())

    def test_a_test_that_ran_twice_has_the_worse_outcome(self):
        cases = '<testcase name="test.s.t"><error/></testcase><testcase name="test.s.t"/>'
        self.assertEqual(self.read(cases, 1), {"s.t": FAILED})


class Proof(unittest.TestCase):
    def problems(self, **proof):
        ours = run.Run("suite", "epoll", {"t": PASSED}, {"selectors": 1, "waits": 1, "in_place": True, **proof})
        run.judge(ours, run.Run("suite", run.BASELINE, {"t": PASSED}), [])
        return ours.problems

    def test_a_run_that_used_the_library_is_no_problem(self):
        self.assertEqual(self.problems(), [])

    def test_a_run_that_did_not_is_one(self):
        self.assertEqual(self.problems(waits=0), ["the C++ library was not used"])
        self.assertEqual(self.problems(selectors=0), ["the C++ library was not used"])
        self.assertEqual(len(self.problems(in_place=False)), 1)


class Deviations(unittest.TestCase):
    def test_the_list_is_well_formed(self):
        known = read_deviations(run.HERE / "deviations.json")
        self.assertLessEqual({d.suite for d in known}, set(run.SUITES))
        self.assertLessEqual({b for d in known for b in d.backends}, set(run.BACKENDS))


if __name__ == "__main__":
    unittest.main()
