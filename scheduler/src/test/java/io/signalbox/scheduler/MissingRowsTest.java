// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** Rows that a backend marks as missing stay missing for every request that has them. */
class MissingRowsTest
{
    private static final short[] MISSING = {-1, -1, -1, -1};
    private static final int LOST_TOKEN = 2;

    private static SchedulerHarness harness()
    {
        return new SchedulerHarness(SchedulerConfig.builder().ranks(1).blockSizeTokens(4).kvBlocks(17).stepTokens(64)
            .maxRunning(8).capture(new ModelShape(2, 64, 2)).build());
    }

    /** The first step of request 1 loses one row of its first block. */
    private static void prefillWithALostRow(final SchedulerHarness harness, final int newTokens)
    {
        harness.submit(1, 1, 2, 9, newTokens);
        harness.wake();
        final SchedulerHarness.Step step = harness.inFlight.remove(0);
        harness.complete(step, (token, shape, rows, offset) ->
        {
            if (token == LOST_TOKEN)
            {
                rows.setMemory(offset, shape.rowBytes(), (byte)-1);
            }
            else
            {
                FirstRowOracle.rows(step).write(token, shape, rows, offset);
            }
        });
    }

    private static short[] lostRow(final SchedulerHarness harness, final long requestId)
    {
        return harness.scheduler.rows(requestId).copy(LOST_TOKEN, LOST_TOKEN + 1).ids();
    }

    @Test
    void shouldCountAMissingRowInEveryRequestThatSharesItsBlock()
    {
        final SchedulerHarness harness = harness();
        prefillWithALostRow(harness, 1);
        harness.submit(2, 1, 2, 9, 1);
        harness.run();
        for (final SchedulerHarness.Ended end : harness.ended)
        {
            assertEquals(1, end.missing(), "missing rows of request " + end.requestId());
            assertEquals(8, end.captured() + end.inherited());
            assertArrayEquals(MISSING, lostRow(harness, end.requestId()));
        }
        assertEquals(7, harness.ended.get(1).inherited());
    }

    /** Rows computed after a cache reset must not appear in a page that a request from before the reset refers to. */
    @Test
    void shouldNotFillASharedPageWithRowsOfALaterGeneration()
    {
        final SchedulerHarness harness = harness();
        prefillWithALostRow(harness, 6);
        harness.submit(2, 1, 2, 9, 1);
        while (harness.ended.isEmpty())
        {
            harness.complete(0);
        }
        assertEquals(2, harness.ended.get(0).requestId());
        harness.resetCache();
        harness.fail(0);
        harness.run();

        assertArrayEquals(MISSING, lostRow(harness, 2), "request 2 ended before the reset");
        assertArrayEquals(MISSING, lostRow(harness, 1), "its other rows are paired with tokens of before the reset");
        assertEquals(1, harness.ended.get(1).missing());
        assertEquals(13, harness.ended.get(1).captured());
    }
}
