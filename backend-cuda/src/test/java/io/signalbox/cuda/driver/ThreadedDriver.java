// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import io.signalbox.cuda.driver.EmulatedDriver.Count;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * The emulated driver with a thread per stream for each test of a class, which is skipped without it. Whatever a test did,
 * everything must have been given back, and nothing called on the host from a stream.
 */
public final class ThreadedDriver implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback
{
    private static final int SEED = 3;
    private static final int MAX_DELAY_MICROS = 50;

    @Override
    public void beforeAll(final ExtensionContext context)
    {
        EmulatedDriver.assumeAvailable();
    }

    @Override
    public void beforeEach(final ExtensionContext context)
    {
        EmulatedDriver.reset();
        EmulatedDriver.threaded(SEED, MAX_DELAY_MICROS);
    }

    @Override
    public void afterEach(final ExtensionContext context)
    {
        assertNothingIsLeft();
        EmulatedDriver.reset();
    }

    /** Everything that a backend took is given back. */
    public static void assertNothingIsLeft()
    {
        for (final Count count : List.of(Count.DEVICE_ALLOCATIONS, Count.PINNED_ALLOCATIONS, Count.STREAMS, Count.EVENTS,
            Count.GRAPHS, Count.MODULES, Count.CONTEXTS, Count.HOST_FUNCTIONS))
        {
            assertEquals(0, EmulatedDriver.count(count), count.name());
        }
    }
}
