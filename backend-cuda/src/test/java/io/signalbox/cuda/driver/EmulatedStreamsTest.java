// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import io.signalbox.cuda.driver.EmulatedDriver.Count;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** In which order work of streams runs, and what of it can be seen on the way. */
@AddLifecycleHook(SkipWithoutEmulatedDriver.class)
class EmulatedStreamsTest
{
    private static final int COMPUTE = 0;
    private static final int COPY = 1;
    private static final int ILLEGAL_STATE = 401;
    private static final int CAPTURE_UNSUPPORTED = 900;
    private static final int CAPTURE_INVALIDATED = 901;
    private static final int CAPTURE_ISOLATION = 905;
    private static final int CAPTURED_EVENT = 907;

    private EmulatedRank rank;
    private CudaDriver driver;
    private CudaDriver.Stream copies;

    @BeforeEach
    void open()
    {
        EmulatedDriver.assumeAvailable();
        rank = new EmulatedRank();
        driver = rank.driver;
        copies = driver.createStream("copy");
    }

    @Test
    void shouldKeepTheOrderOfAStream()
    {
        final DeviceMemory data = rank.upload(1);
        EmulatedDriver.stepped();
        final PinnedMemory seen = rank.pinned(0, 0);
        final CudaDriver.Launch add = rank.prepare("test_add", 1, 1, 0,
            rank.arguments().pointer(data).int32(1).int32(10));
        driver.launch(add, rank.stream);
        driver.copyToHost(seen, data, 4, rank.stream);
        driver.launch(add, rank.stream);
        driver.copyToHost(seen.slice(4, 4), data, 4, rank.stream);
        assertArrayEquals(new int[]{0, 0}, EmulatedRank.values(seen, 2));
        assertEquals(1, EmulatedDriver.runnable());
        EmulatedDriver.advanceAll();
        assertArrayEquals(new int[]{11, 21}, EmulatedRank.values(seen, 2));
    }

    @Test
    void shouldRunNothingWhenAskedAndAllThatIsAwaited()
    {
        EmulatedDriver.stepped();
        final PinnedMemory words = rank.pinned(0, 0);
        final CudaDriver.Event event = driver.createEvent();
        assertTrue(driver.isComplete(event), "an event that was never recorded is complete");
        driver.writeWord(words, 1, rank.stream);
        driver.record(event, rank.stream);
        driver.waitFor(copies, event);
        driver.writeWord(words.slice(4, 4), 2, copies);
        assertFalse(driver.isComplete(event));
        assertArrayEquals(new int[]{0, 0}, EmulatedRank.values(words, 2));
        driver.synchronize(copies);
        assertTrue(driver.isComplete(event));
        assertArrayEquals(new int[]{1, 2}, EmulatedRank.values(words, 2));
    }

    @Test
    void shouldWaitForTheRecordThatWasTheLatestWhenAsked()
    {
        EmulatedDriver.stepped();
        final PinnedMemory words = rank.pinned(0, 0, 0);
        final CudaDriver.Event event = driver.createEvent();
        driver.waitFor(copies, event);
        driver.writeWord(words, 1, rank.stream);
        driver.record(event, rank.stream);
        driver.writeWord(words.slice(8, 4), 7, copies);
        assertTrue(EmulatedDriver.advanceStream(COPY), "a wait before the first record is none");
        driver.waitFor(copies, event);
        driver.writeWord(words.slice(4, 4), 2, copies);
        driver.writeWord(words, 3, rank.stream);
        driver.record(event, rank.stream);
        assertFalse(EmulatedDriver.advanceStream(COPY), "the copy stream runs ahead of the event");
        assertTrue(EmulatedDriver.advanceStream(COMPUTE));
        assertFalse(EmulatedDriver.advanceStream(COPY), "the work is done and the record is not");
        assertTrue(EmulatedDriver.advanceStream(COMPUTE));
        assertTrue(EmulatedDriver.advanceStream(COPY), "a later record of the event is not waited for");
        assertArrayEquals(new int[]{1, 2, 7}, EmulatedRank.values(words, 3));
    }

    @Test
    void shouldKeepWaitingForAnEventThatWasDestroyed()
    {
        EmulatedDriver.stepped();
        final PinnedMemory words = rank.pinned(0, 0);
        final CudaDriver.Event event = driver.createEvent();
        driver.writeWord(words, 1, rank.stream);
        driver.record(event, rank.stream);
        driver.waitFor(copies, event);
        driver.writeWord(words.slice(4, 4), 1, copies);
        driver.destroy(event);
        assertFalse(EmulatedDriver.advanceStream(COPY));
        driver.destroy(rank.stream);
        EmulatedDriver.advanceAll();
        assertArrayEquals(new int[]{1, 1}, EmulatedRank.values(words, 2));
    }

    @Test
    void shouldShowACopyHalfDone()
    {
        final DeviceMemory data = rank.upload(1, 2, 3, 4);
        EmulatedDriver.stepped();
        EmulatedDriver.quantum(8, false);
        final PinnedMemory target = rank.pinned(0, 0, 0, 0);
        driver.copyToHost(target, data, 16, copies);
        assertEquals(1, EmulatedDriver.advance(0));
        assertArrayEquals(new int[]{1, 2, 0, 0}, EmulatedRank.values(target, 4));
        driver.fill(data, 9, 4, rank.stream);
        EmulatedDriver.advanceStream(COMPUTE);
        assertEquals(0, EmulatedDriver.advance(0));
        assertArrayEquals(new int[]{1, 2, 9, 9}, EmulatedRank.values(target, 4), "the copy is not torn");
    }

    @Test
    void shouldRunALaunchBlockByBlock()
    {
        final DeviceMemory data = rank.upload(0, 0, 0);
        EmulatedDriver.stepped();
        EmulatedDriver.quantum(0, true);
        final PinnedMemory seen = rank.pinned(0, 0, 0);
        rank.launch("test_add", 3, 1, 0, rank.arguments().pointer(data).int32(3).int32(1));
        EmulatedDriver.advanceStream(COMPUTE);
        driver.copyToHost(seen, data, 12, copies);
        EmulatedDriver.advanceStream(COPY);
        assertArrayEquals(new int[]{1, 0, 0}, EmulatedRank.values(seen, 3));
        EmulatedDriver.advanceAll();
        assertArrayEquals(new int[]{1, 1, 1}, rank.download(data, 3));
    }

    @Test
    void shouldReplayAGraphWithTheValuesOfItsCapture()
    {
        final DeviceMemory data = rank.upload(0, 0);
        final PinnedMemory seen = rank.pinned(0, 0);
        final KernelArguments arguments = rank.arguments().pointer(data).int32(2).int32(1);
        final CudaDriver.Launch add = rank.prepare("test_add", 1, 2, 0, arguments);
        driver.beginCapture(rank.stream);
        driver.fill(data, 5, 1, rank.stream);
        driver.launch(add, rank.stream);
        driver.copyToHost(seen, data, 8, rank.stream);
        final CudaDriver.Graph graph = driver.endCapture(rank.stream);
        arguments.int32(100);
        assertArrayEquals(new int[]{0, 0}, rank.download(data, 2), "a capture runs");
        driver.launch(graph, rank.stream);
        driver.launch(graph, rank.stream);
        assertArrayEquals(new int[]{6, 2}, EmulatedRank.values(seen, 2));
        driver.destroy(graph);
        assertEquals(0, EmulatedDriver.count(Count.GRAPHS));
        assertThrows(CudaException.class, () -> driver.launch(graph, rank.stream));
    }

    @Test
    void shouldNotRunOneGraphTwiceAtOnce()
    {
        final DeviceMemory data = rank.upload(0);
        driver.beginCapture(rank.stream);
        rank.launch("test_add", 1, 1, 0, rank.arguments().pointer(data).int32(1).int32(1));
        final CudaDriver.Graph graph = driver.endCapture(rank.stream);
        EmulatedDriver.stepped();
        driver.launch(graph, rank.stream);
        driver.launch(graph, copies);
        assertFalse(EmulatedDriver.advanceStream(COPY));
        assertTrue(EmulatedDriver.advanceStream(COMPUTE));
        assertTrue(EmulatedDriver.advanceStream(COPY));
    }

    @Test
    void shouldBreakACaptureByCallsThatItForbids()
    {
        final CudaDriver.Event outside = driver.createEvent();
        driver.record(outside, copies);
        assertCaptureBreaks(CAPTURE_UNSUPPORTED, () -> driver.allocate(16));
        assertCaptureBreaks(CAPTURE_UNSUPPORTED, () -> driver.synchronize(rank.stream));
        assertCaptureBreaks(CAPTURE_UNSUPPORTED, () -> driver.isComplete(outside));
        assertCaptureBreaks(CAPTURE_ISOLATION, () -> driver.waitFor(rank.stream, outside));
        assertEquals(ILLEGAL_STATE, code(() -> driver.endCapture(rank.stream)));
    }

    @Test
    void shouldNotAnswerForAnEventOfACapture()
    {
        final CudaDriver.Event inside = driver.createEvent();
        driver.beginCapture(rank.stream);
        driver.record(inside, rank.stream);
        driver.waitFor(rank.stream, inside);
        driver.destroy(driver.endCapture(rank.stream));
        assertEquals(CAPTURED_EVENT, code(() -> driver.isComplete(inside)));
        driver.record(inside, rank.stream);
        assertTrue(driver.isComplete(inside));
    }

    @Test
    void shouldDropAllWorkOfADeviceThatFailed()
    {
        final DeviceMemory data = rank.upload(1);
        final PinnedMemory seen = rank.pinned(0);
        EmulatedDriver.stepped();
        EmulatedDriver.failLaunch(1, CudaException.LAUNCH_FAILED);
        rank.launch("test_add", 1, 1, 0, rank.arguments().pointer(data).int32(1).int32(1));
        driver.copyToHost(seen, data, 4, copies);
        assertEquals(2, EmulatedDriver.runnable());
        EmulatedDriver.advanceStream(COMPUTE);
        assertEquals(0, EmulatedDriver.runnable());
        assertEquals(0, seen.buffer().getInt(0));
        assertEquals(CudaException.LAUNCH_FAILED, code(() -> driver.synchronize(copies)));
    }

    @Test
    void shouldMeasureTimeBetweenTimedEventsOnly()
    {
        final CudaDriver.Event start = driver.createTimedEvent();
        final CudaDriver.Event end = driver.createTimedEvent();
        driver.record(start, rank.stream);
        driver.record(end, rank.stream);
        assertTrue(driver.elapsedMillis(start, end) >= 0);
        final CudaDriver.Event untimed = driver.createEvent();
        driver.record(untimed, rank.stream);
        assertThrows(CudaException.class, () -> driver.elapsedMillis(start, untimed));
    }

    /** Two streams, an event between them and a schedule: whatever the order, the copy sees what was there. */
    @Property
    void shouldGiveOneResultInEveryOrder(
        @ForAll @Size(max = 40) final List<@IntRange(min = 0, max = 7) Integer> schedule,
        @ForAll @IntRange(min = 1, max = 9) final int quantum)
    {
        open();
        final DeviceMemory data = rank.upload(0, 0);
        EmulatedDriver.stepped();
        EmulatedDriver.quantum(quantum, true);
        assertArrayEquals(new int[]{1, 1, 2, 2, 3, 3}, runThreeSteps(data, schedule));
        driver.free(data);
    }

    private int[] runThreeSteps(final DeviceMemory data, final List<Integer> schedule)
    {
        final PinnedMemory seen = rank.pinned(new int[6]);
        final CudaDriver.Event computed = driver.createEvent();
        final CudaDriver.Event copied = driver.createEvent();
        final CudaDriver.Launch add = rank.prepare("test_add", 2, 1, 0,
            rank.arguments().pointer(data).int32(2).int32(1));
        for (int step = 0; step < 3; step++)
        {
            driver.waitFor(rank.stream, copied);
            driver.launch(add, rank.stream);
            driver.record(computed, rank.stream);
            driver.waitFor(copies, computed);
            driver.copyToHost(seen.slice(8 * step, 8), data, 8, copies);
            driver.record(copied, copies);
        }
        schedule.forEach(EmulatedDriver::advance);
        EmulatedDriver.advanceAll();
        return EmulatedRank.values(seen, 6);
    }

    @Property(tries = 20)
    void shouldGiveOneResultOnThreads(@ForAll final long seed)
    {
        open();
        final DeviceMemory data = rank.upload(0, 0);
        EmulatedDriver.threaded(seed, 50);
        final PinnedMemory word = rank.pinned(0);
        for (int step = 0; step < 20; step++)
        {
            rank.launch("test_add", 2, 1, 0, rank.arguments().pointer(data).int32(2).int32(1));
        }
        final CudaDriver.Event computed = driver.createEvent();
        driver.record(computed, rank.stream);
        driver.waitFor(copies, computed);
        driver.writeWord(word, 1, copies);
        driver.synchronize(copies);
        assertEquals(1, word.buffer().getInt(0));
        assertTrue(driver.isComplete(computed));
        assertArrayEquals(new int[]{20, 20}, rank.download(data, 2));
        driver.destroy(copies);
        driver.destroy(rank.stream);
        assertEquals(0, EmulatedDriver.count(Count.STREAMS));
    }

    private void assertCaptureBreaks(final int answer, final Executable call)
    {
        driver.beginCapture(rank.stream);
        assertEquals(answer, code(call));
        assertEquals(CAPTURE_INVALIDATED, code(() -> driver.endCapture(rank.stream)));
    }

    private static int code(final Executable call)
    {
        return assertThrows(CudaException.class, call).code();
    }
}
