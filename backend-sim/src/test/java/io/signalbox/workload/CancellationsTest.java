// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;

import java.util.LongSummaryStatistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

class CancellationsTest
{
    private final Workload plain = GeneratedWorkload.of(GeneratedWorkloadConfig.builder().conversations(4000).build());

    @Test
    void shouldCancelTheGivenShareAfterTheGivenMeanTime()
    {
        final LongSummaryStatistics delays = new Cancellations(0.25, 2_000_000_000L, 9).applyTo(plain).requests().stream()
            .mapToLong(WorkloadRequest::cancelAfterNanos).filter(nanos -> nanos >= 0).summaryStatistics();
        assertEquals(0.25, (double)delays.getCount() / plain.requests().size(), 0.02);
        assertEquals(2e9, delays.getAverage(), 1e8);
    }

    @Test
    void shouldLeaveEverythingElseAsItWas()
    {
        final Workload cancelling = new Cancellations(1.0, 1000, 9).applyTo(plain);
        final WorkloadRequest last = plain.requests().get(plain.requests().size() - 1);
        final WorkloadRequest changed = cancelling.requests().get(plain.requests().size() - 1);
        assertEquals(last, changed.cancelledAfter(-1));
        assertNotEquals(last, changed);
        assertSame(plain.text(), cancelling.text());
        assertEquals("1.0", cancelling.settings().get("workload.cancelFraction"));
        assertEquals(plain.requests(), new Cancellations(0.0, 1000, 9).applyTo(plain).requests());
    }

    @Test
    void shouldRefuseAShareThatIsNone()
    {
        assertThrows(ConfigException.class, () -> new Cancellations(1.1, 1, 0));
        assertThrows(ConfigException.class, () -> new Cancellations(Double.NaN, 1, 0));
        assertThrows(ConfigException.class, () -> new Cancellations(0.5, 0, 0));
    }
}
