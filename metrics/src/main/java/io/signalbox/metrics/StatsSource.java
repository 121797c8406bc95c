// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import io.signalbox.stats.EngineStats;

import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Asks the engine once per scrape. A registry reads meter by meter and does not say when a scrape begins; so the figures of
 * one question serve every meter once, for a short time. Scrapes of several threads at a time share figures, which are up to
 * 100 ms old. Thread-safe.
 */
final class StatsSource
{
    /** Far above the length of a scrape. */
    private static final long MAX_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Supplier<EngineStats> engine;
    private final LongSupplier clock;
    private final BitSet readers = new BitSet();
    private EngineStats stats;
    private long askedNanos;
    private int readerCount;

    StatsSource(final Supplier<EngineStats> engine, final LongSupplier clock)
    {
        this.engine = engine;
        this.clock = clock;
    }

    /** A number for one more meter that reads. */
    synchronized int newReader()
    {
        return readerCount++;
    }

    /** Figures of now, for nobody else. */
    EngineStats ask()
    {
        return engine.get();
    }

    /** The next reader asks anew. */
    synchronized void forget()
    {
        stats = null;
    }

    /** Figures that the reader has not read before, or newer ones. */
    synchronized EngineStats read(final int reader)
    {
        final long now = clock.getAsLong();
        if (stats == null || readers.get(reader) || now - askedNanos > MAX_AGE_NANOS)
        {
            stats = engine.get();
            askedNanos = now;
            readers.clear();
        }
        readers.set(reader);
        return stats;
    }
}
