// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.TestStrength;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertNull;

/** A request that is the reason for no failed step never ends as FAILED, however few failures a request may have. */
class InnocentRequestTest
{
    private static final int RUNS = TestStrength.count(100, 20_000);

    @Test
    void shouldFailNoRequestForTheSakeOfAnother()
    {
        assertNull(InnocentRuns.firstFailure(RUNS));
    }

    @Test
    void shouldLetSuspectsAndOthersTakeTurns()
    {
        assertNull(InnocentRuns.firstFailureWithRoom(RUNS));
    }
}
