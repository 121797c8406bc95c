// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Handles of another context, of a module that was unloaded, of a context that was released; and flags. */
class EmulatedHandlesTest
{
    private static final int INVALID_VALUE = 1;
    private static final int INVALID_HANDLE = 400;

    private CudaDriver driver;
    private EmulatedRank rank;
    private CudaDriver.Context other;
    private DeviceMemory data;

    @BeforeEach
    void open()
    {
        EmulatedDriver.assumeAvailable();
        EmulatedDriver.devices(2);
        rank = new EmulatedRank();
        driver = rank.driver;
        other = driver.retainPrimaryContext(1);
        data = rank.upload(1);
    }

    @Test
    void shouldRefuseTheFunctionOfAnotherDevice()
    {
        final CudaDriver.Launch launch = add();
        driver.makeCurrent(other);
        final CudaDriver.Stream stream = driver.createStream("other");
        assertAnswer(INVALID_HANDLE, () -> driver.launch(launch, stream));
        assertAnswer(INVALID_HANDLE, () -> driver.kernel(rank.module, "test_add"));
        assertAnswer(INVALID_HANDLE, () -> driver.hasGlobal(rank.module, "signalbox_test_mark"));
        assertAnswer(INVALID_HANDLE, () -> driver.unload(rank.module));
    }

    @Test
    void shouldRefuseTheGraphOfAnotherDevice()
    {
        final CudaDriver.Graph graph = capturedAdd();
        driver.makeCurrent(other);
        final CudaDriver.Stream stream = driver.createStream("other");
        assertAnswer(INVALID_VALUE, () -> driver.launch(graph, stream));
        driver.makeCurrent(rank.context);
        driver.launch(graph, rank.stream);
        assertArrayEquals(new int[]{2}, rank.download(data, 1));
    }

    @Test
    void shouldRefuseTheStreamOfAnotherDevice()
    {
        final CudaDriver.Launch launch = add();
        driver.makeCurrent(other);
        final PinnedMemory word = driver.allocatePinned(4);
        final DeviceMemory memory = driver.allocate(4);
        assertAnswer(INVALID_HANDLE, () -> driver.launch(launch, rank.stream));
        assertAnswer(INVALID_HANDLE, () -> driver.copyToDevice(memory, word, 4, rank.stream));
        assertAnswer(INVALID_HANDLE, () -> driver.writeWord(word, 1, rank.stream));
    }

    @Test
    void shouldTakeTheEventOfAnotherDeviceForWaitsOnly()
    {
        final CudaDriver.Event here = driver.createTimedEvent();
        driver.record(here, rank.stream);
        driver.makeCurrent(other);
        final CudaDriver.Stream stream = driver.createStream("other");
        final CudaDriver.Event there = driver.createTimedEvent();
        driver.record(there, stream);
        assertAnswer(INVALID_HANDLE, () -> driver.record(here, stream));
        assertAnswer(INVALID_HANDLE, () -> driver.elapsedMillis(here, there));
        driver.waitFor(stream, here);
        driver.isComplete(here);
        driver.synchronize(stream);
    }

    @Test
    void shouldLaunchNothingOfAModuleThatWasUnloaded()
    {
        final CudaDriver.Launch launch = add();
        final CudaDriver.Graph graph = capturedAdd();
        driver.unload(rank.module);
        assertAnswer(INVALID_HANDLE, () -> driver.launch(launch, rank.stream));
        assertAnswer(INVALID_VALUE, () -> driver.launch(graph, rank.stream));
        assertAnswer(INVALID_HANDLE, () -> driver.unload(rank.module));
        assertArrayEquals(new int[]{1}, rank.download(data, 1));
    }

    @Test
    void shouldRunWhatWasLaunchedBeforeAModuleIsUnloaded()
    {
        final CudaDriver.Launch launch = add();
        EmulatedDriver.stepped();
        driver.launch(launch, rank.stream);
        driver.unload(rank.module);
        assertArrayEquals(new int[]{2}, rank.download(data, 1));
    }

    @Test
    void shouldRefuseWhatAReleasedContextOwned()
    {
        final CudaDriver.Launch launch = add();
        final CudaDriver.Graph graph = capturedAdd();
        final CudaDriver.Event event = driver.createEvent();
        final PinnedMemory word = driver.allocatePinned(4);
        driver.record(event, rank.stream);
        driver.releasePrimaryContext(rank.context);
        driver.makeCurrent(driver.retainPrimaryContext(0));
        final CudaDriver.Stream stream = driver.createStream("second");
        assertAnswer(INVALID_HANDLE, () -> driver.launch(launch, stream));
        assertAnswer(INVALID_VALUE, () -> driver.launch(graph, stream));
        assertAnswer(INVALID_HANDLE, () -> driver.isComplete(event));
        assertAnswer(INVALID_HANDLE, () -> driver.waitFor(stream, event));
        assertAnswer(INVALID_HANDLE, () -> driver.synchronize(rank.stream));
        assertAnswer(INVALID_HANDLE, () -> driver.unload(rank.module));
        assertAnswer(INVALID_VALUE, () -> driver.fill(data, 0, 1, stream));
        assertAnswer(INVALID_VALUE, () -> driver.writeWord(word, 1, stream));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "2, 0", "3, 0", "6, 0", "4, 1", "8, 1", "-1, 1"})
    void shouldTakeTheFlagsOfEvents(final int flags, final int answer)
    {
        assertEquals(answer, RawDriver.createEvent(flags));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "2, 1", "3, 1"})
    void shouldTakeTheFlagsOfStreams(final int flags, final int answer)
    {
        assertEquals(answer, RawDriver.createStream(flags));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "2, 1"})
    void shouldTakeTheFlagsOfWaits(final int flags, final int answer)
    {
        assertEquals(answer, RawDriver.waitEvent(flags));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "2, 0", "7, 0", "8, 1"})
    void shouldTakeTheFlagsOfPageLockedMemory(final int flags, final int answer)
    {
        assertEquals(answer, RawDriver.allocatePinned(flags));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "2, 1"})
    void shouldTakeTheFlagsOfWrittenWords(final int flags, final int answer)
    {
        assertEquals(answer, RawDriver.writeWord(flags));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "8, 0", "2, 1", "5, 1", "16, 1"})
    void shouldTakeTheFlagsOfGraphs(final long flags, final int answer)
    {
        assertEquals(answer, RawDriver.instantiateGraph(flags));
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "16, 0", "0, 1", "256, 1"})
    void shouldTakeTheNumbersOfAttributes(final int attribute, final int answer)
    {
        assertEquals(answer, RawDriver.attributeAnswer(attribute));
    }

    @Test
    void shouldUploadAGraphToAStreamOfItsContext()
    {
        assertEquals(0, RawDriver.uploadGraph(rank.context, rank.context));
        assertEquals(INVALID_VALUE, RawDriver.uploadGraph(rank.context, other));
    }

    private CudaDriver.Launch add()
    {
        return rank.prepare("test_add", 1, 1, 0, rank.arguments().pointer(data).int32(1).int32(1));
    }

    private CudaDriver.Graph capturedAdd()
    {
        final CudaDriver.Launch launch = add();
        driver.beginCapture(rank.stream);
        driver.launch(launch, rank.stream);
        return driver.endCapture(rank.stream);
    }

    private static void assertAnswer(final int code, final Executable call)
    {
        assertEquals(code, assertThrows(CudaException.class, call).code());
    }
}
