// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.Digits;

/** The rules of a restart and random runs, for an engine that was changed. */
public final class RestartRuns
{
    private RestartRuns()
    {
    }

    /** A rule that may be broken. */
    @FunctionalInterface
    private interface Rule
    {
        void check(RestartTest test) throws Exception;
    }

    /** The first failure as a text, or {@code null}; runs of this many seeds. */
    public static String firstFailure(final int seeds)
    {
        final Rule[] rules = {
            test -> test.shouldContinueRunningRequestsWithTheTokensAndRowsThatTheyHave(2),
            RestartTest::shouldRaiseTheEpochWithEachRestartAndBeginNoEpochForANewRun,
            RestartTest::shouldGiveNewRequestsIdsThatNoRequestHad,
            RestartTest::shouldGiveNewRequestsIdsAboveTheHighestAndNotTheLast,
            RestartTest::shouldHandOutRefusalsThatNoClientMayHaveSeen,
            RestartTest::shouldHandOutRowsThatNobodyTookAndNoOthers,
            RestartTest::shouldAdmitWaitingRequestsInTheirOrder,
            test -> test.shouldIgnoreWhatAFormerBackendReportsTooLate(2),
            RestartTest::shouldAcceptRequestsAgainAfterADrainedEngine,
            RestartTest::shouldNeverLetTheTimeOfTheRunGoBack,
            RestartTest::shouldHandOutEndsThatNoClientMayHaveSeen,
            RestartTest::shouldGiveTheBackendTheWeightsThatTheRunHas};
        try
        {
            for (final Rule rule : rules)
            {
                rule.check(new RestartTest());
            }
            for (int seed = 0; seed < seeds; seed++)
            {
                new RestartPropertyTest().shouldGiveEveryRequestTheTokensAndRowsOfARunWithoutRestarts(
                    Digits.list(seed, 60), 1 + seed % 2, seed % 4 < 2, seed % 5 == 0, seed % 3);
            }
            return null;
        }
        catch (final Exception | AssertionError e)
        {
            return String.valueOf(e);
        }
    }
}
