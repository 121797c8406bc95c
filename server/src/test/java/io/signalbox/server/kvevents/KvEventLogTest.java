// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.kvevents;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What is kept for replay. */
class KvEventLogTest
{
    private static final List<KvEvent> EVENTS = List.of(new KvEvent.Removed(List.of(1L)));

    private static List<Long> numbers(final List<KvBatch> batches)
    {
        return batches.stream().map(KvBatch::sequence).toList();
    }

    @Test
    void shouldKeepTheLastBatches()
    {
        final KvEventLog log = new KvEventLog(0, 3, Long.MAX_VALUE);
        assertEquals(-1, log.last());
        assertEquals(List.of(), log.from(0, 9));
        for (int i = 0; i < 5; i++)
        {
            log.append(1, EVENTS);
        }
        assertEquals(4, log.last());
        assertEquals(List.of(2L, 3L, 4L), numbers(log.from(-7, 9)));
        assertEquals(List.of(2L, 3L), numbers(log.from(0, 2)));
        assertEquals(List.of(4L), numbers(log.from(4, 9)));
        assertEquals(List.of(), log.from(5, 9));
        assertEquals(List.of(), log.from(Long.MAX_VALUE, 9));
    }

    @Test
    void shouldKeepNoMoreBytesThanItMay()
    {
        final KvEventLog log = new KvEventLog(0, 1000, 3 * KvBatch.bytes(EVENTS));
        for (int i = 0; i < 10; i++)
        {
            log.append(1, EVENTS);
        }
        assertEquals(List.of(7L, 8L, 9L), numbers(log.from(0, 99)));
        final KvEvent large = new KvEvent.Stored(List.of(new CachedBlock(1, 0, 0, new int[10_000], null)));
        log.append(1, List.of(large));
        assertEquals(List.of(10L), numbers(log.from(0, 99)), "the last batch is always kept");
        log.append(1, EVENTS);
        assertTrue(numbers(log.from(0, 99)).equals(List.of(11L)));
    }
}
