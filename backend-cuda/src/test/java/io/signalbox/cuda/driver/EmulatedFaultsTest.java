// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Devices that stall, calls that hang, drivers that are old or lack a symbol. */
@Tag("threads")
@Timeout(120)
class EmulatedFaultsTest
{
    private static final int MULTIPROCESSOR_COUNT = 16;

    private EmulatedRank rank;
    private CudaDriver driver;

    @BeforeEach
    void open()
    {
        EmulatedDriver.assumeAvailable();
        rank = new EmulatedRank();
        driver = rank.driver;
    }

    @AfterEach
    void close()
    {
        EmulatedDriver.reset();
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepALaunchFromCompletingUntilItIsReleased(final Mode mode)
    {
        final DeviceMemory data = rank.upload(1);
        final PinnedMemory seen = rank.pinned(0);
        final CudaDriver.Event before = driver.createEvent();
        final CudaDriver.Event after = driver.createEvent();
        mode.set();
        EmulatedDriver.stallLaunch(2);
        final CudaDriver.Launch add = rank.prepare("test_add", 1, 1, 0, rank.arguments().pointer(data).int32(1).int32(10));
        driver.launch(add, rank.stream);
        driver.record(before, rank.stream);
        driver.launch(add, rank.stream);
        driver.copyToHost(seen, data, 4, rank.stream);
        driver.record(after, rank.stream);
        mode.advance();
        while (!driver.isComplete(before))
        {
            Thread.onSpinWait();
        }
        final CompletableFuture<Void> waiting = inThread(() -> driver.synchronize(rank.stream));
        awaitBlocked(1);
        assertFalse(driver.isComplete(after));
        assertFalse(waiting.isDone());
        assertEquals(0, seen.buffer().getInt(0));
        EmulatedDriver.release();
        waiting.join();
        assertTrue(driver.isComplete(after));
        assertEquals(21, seen.buffer().getInt(0));
    }

    @Test
    void shouldStallACopyOfAStreamAndLeaveTheOthers()
    {
        final DeviceMemory data = rank.upload(7);
        final PinnedMemory seen = rank.pinned(0, 0);
        final CudaDriver.Stream other = driver.createStream("other");
        EmulatedDriver.stallCopy(1);
        driver.copyToHost(seen, data, 4, rank.stream);
        driver.copyToHost(seen.slice(4, 4), data, 4, other);
        driver.synchronize(other);
        assertArrayEquals(new int[]{0, 7}, EmulatedRank.values(seen, 2));
        EmulatedDriver.release();
        driver.synchronize(rank.stream);
        assertArrayEquals(new int[]{7, 7}, EmulatedRank.values(seen, 2));
    }

    @Test
    void shouldStallALaunchOfAGraph()
    {
        final DeviceMemory data = rank.upload(0);
        driver.beginCapture(rank.stream);
        rank.launch("test_add", 1, 1, 0, rank.arguments().pointer(data).int32(1).int32(1));
        final CudaDriver.Graph graph = driver.endCapture(rank.stream);
        final CudaDriver.Event done = driver.createEvent();
        EmulatedDriver.stallLaunch(2);
        driver.launch(graph, rank.stream);
        driver.record(done, rank.stream);
        assertTrue(driver.isComplete(done));
        driver.launch(graph, rank.stream);
        driver.record(done, rank.stream);
        assertFalse(driver.isComplete(done));
        EmulatedDriver.release();
        assertArrayEquals(new int[]{2}, rank.download(data, 1));
    }

    @ParameterizedTest
    @EnumSource
    void shouldStallAWholeDeviceAndNoOther(final Mode mode)
    {
        EmulatedDriver.reset();
        EmulatedDriver.devices(2);
        rank = new EmulatedRank();
        final DeviceMemory data = rank.upload(1);
        mode.set();
        EmulatedDriver.stallDevice(0);
        final CudaDriver.Event event = driver.createEvent();
        driver.record(event, rank.stream);
        mode.advance();
        assertFalse(driver.isComplete(event));
        final CompletableFuture<Void> freeing = inThread(() -> driver.free(data));
        awaitBlocked(1);
        driver.makeCurrent(driver.retainPrimaryContext(1));
        final CudaDriver.Stream other = driver.createStream("other");
        driver.record(driver.createEvent(), other);
        driver.synchronize(other);
        assertFalse(freeing.isDone());
        EmulatedDriver.release();
        freeing.join();
        driver.makeCurrent(rank.context);
        driver.synchronize(rank.stream);
        assertTrue(driver.isComplete(event));
    }

    @Test
    void shouldNotWaitForAStalledStreamThatIsDestroyed()
    {
        final PinnedMemory word = rank.pinned(0);
        EmulatedDriver.threaded(1, 0);
        EmulatedDriver.stallDevice(0);
        driver.writeWord(word, 3, rank.stream);
        driver.destroy(rank.stream);
        assertEquals(0, word.buffer().getInt(0));
        EmulatedDriver.release();
        RawDriver.synchronizeContext();
        assertEquals(3, word.buffer().getInt(0));
    }

    @Test
    void shouldDropStalledWorkAndFreeItsWaitersAtAReset()
    {
        final PinnedMemory word = rank.pinned(0);
        EmulatedDriver.stallDevice(0);
        driver.writeWord(word, 3, rank.stream);
        final CompletableFuture<Void> waiting = inThread(() -> driver.synchronize(rank.stream));
        awaitBlocked(1);
        EmulatedDriver.reset();
        waiting.join();
        assertEquals(0, EmulatedDriver.blocked());
        assertEquals(0, word.buffer().getInt(0));
    }

    @Test
    void shouldHangTheCallThatIsNamedUntilItIsReleased()
    {
        EmulatedDriver.hangCall("cuMemAlloc", 2);
        driver.free(driver.allocate(16));
        final CompletableFuture<Void> hanging = inThread(() -> driver.free(driver.allocate(16)));
        awaitBlocked(1);
        driver.free(driver.allocate(16));
        assertFalse(hanging.isDone());
        EmulatedDriver.release();
        hanging.join();
    }

    @Test
    void shouldHangACallForATime()
    {
        EmulatedDriver.hangCall("cuMemAlloc", 1, 1);
        final long before = System.nanoTime();
        driver.allocate(16);
        assertTrue(System.nanoTime() - before >= 1_000_000, "the call does not hang");
    }

    @Test
    void shouldReportTheVersionAndTheAttributesItIsGiven()
    {
        EmulatedDriver.driverVersion(12_080);
        assertEquals(12_080, driver.version());
        assertEquals(CudaAvailability.State.DRIVER_TOO_OLD, new CudaProbe().probe().state());
        final int own = RawDriver.attribute(MULTIPROCESSOR_COUNT);
        EmulatedDriver.attribute(MULTIPROCESSOR_COUNT, 132);
        assertNotEquals(132, own);
        assertEquals(132, RawDriver.attribute(MULTIPROCESSOR_COUNT));
    }

    @Test
    void shouldTakeFaultsFromTheEnvironment() throws IOException, InterruptedException
    {
        final String output = probe(EmulatedDriverBuild.library(), "fail=cuDeviceGetName:1:2,hang=cuInit:1:1");
        assertTrue(output.contains("DRIVER_FAILED") && output.contains("cuDeviceGetName"), output);
        assertTrue(probe(EmulatedDriverBuild.library(), "version=12020").contains("DRIVER_TOO_OLD"));
    }

    @Test
    void shouldLackTheSymbolThatIsLeftOut() throws IOException, InterruptedException
    {
        final Path library = EmulatedDriverBuild.libraryWithout("cuDeviceTotalMem_v2");
        final String output = probe(library, "");
        assertTrue(output.contains("cuDeviceTotalMem_v2"), output);
        assertFalse(output.contains("READY"), output);
    }

    private static String probe(final Path library, final String settings) throws IOException, InterruptedException
    {
        return ProbeProcess.answer(
            Map.of("LD_LIBRARY_PATH", library.getParent().toString(), "SIGNALBOX_EMULATED", settings));
    }

    private CompletableFuture<Void> inThread(final Runnable calls)
    {
        return CompletableFuture.runAsync(() ->
        {
            driver.makeCurrent(rank.context);
            calls.run();
        });
    }

    private static void awaitBlocked(final int threads)
    {
        while (EmulatedDriver.blocked() < threads)
        {
            Thread.onSpinWait();
        }
    }

    /** Ways in which work runs. */
    enum Mode
    {
        IMMEDIATE, STEPPED, THREADED;

        /** Runs what can run, in the mode in which nothing else does. */
        void advance()
        {
            if (this == STEPPED)
            {
                EmulatedDriver.advanceAll();
            }
        }

        void set()
        {
            switch (this)
            {
                case STEPPED -> EmulatedDriver.stepped();
                case THREADED -> EmulatedDriver.threaded(3, 20);
                default -> EmulatedDriver.immediate();
            }
        }
    }
}
