"""CPython's regrtest, with two gaps of its XML report closed: a skip without a reason, and subtests that fail."""

import sys

from test.libregrtest import main
from test.support.testresult import RegressionTestResult


class CompleteResult(RegressionTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason or "no reason is given")

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._add_result(test, failure=f"{subtest}: {err[1]!r}")
        super().addSubTest(test, subtest, err)


if __name__ == "__main__":
    del sys.path[0]  # this folder is no part of what is tested
    sys.modules["test.support.testresult"].RegressionTestResult = CompleteResult
    main()
