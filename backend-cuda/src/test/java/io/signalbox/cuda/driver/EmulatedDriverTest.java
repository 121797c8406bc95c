// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import io.signalbox.cuda.driver.EmulatedDriver.Count;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Answers of the driver to calls: strictness, failures, memory, counts. */
@Tag("threads")
class EmulatedDriverTest
{
    private static final int INVALID_VALUE = 1;
    private static final int NOT_INITIALIZED = 3;
    private static final int INVALID_IMAGE = 200;
    private static final int INVALID_CONTEXT = 201;
    private static final int INVALID_HANDLE = 400;
    private static final int NOT_FOUND = 500;
    private static final int CONTEXT_IS_DESTROYED = 709;

    private EmulatedRank rank;
    private CudaDriver driver;

    @BeforeEach
    void open()
    {
        EmulatedDriver.assumeAvailable();
        rank = new EmulatedRank();
        driver = rank.driver;
    }

    @Test
    void shouldRunAKernelOnTheCpu()
    {
        final DeviceMemory data = rank.upload(1, 2, 3);
        rank.launch("test_add", 2, 2, 0, rank.arguments().pointer(data).int32(3).int32(10));
        assertArrayEquals(new int[]{11, 12, 13}, rank.download(data, 3));
    }

    @Test
    void shouldOfferItsDevices()
    {
        EmulatedDriver.reset();
        EmulatedDriver.devices(3);
        final CudaAvailability found = new CudaProbe().probe();
        assertTrue(found.ready(), found.message());
        assertEquals(3, found.devices().size());
        EmulatedDriver.reset();
        EmulatedDriver.devices(0);
        assertEquals(CudaAvailability.State.NO_DEVICE, new CudaProbe().probe().state());
    }

    @Test
    void shouldRefuseCallsOutOfOrder() throws InterruptedException, ExecutionException
    {
        EmulatedDriver.reset();
        assertAnswer(NOT_INITIALIZED, () -> driver.deviceCount());
        driver.initialise();
        assertAnswer(CONTEXT_IS_DESTROYED, () -> driver.allocate(16));
        CompletableFuture.runAsync(() -> assertAnswer(INVALID_CONTEXT, () -> driver.allocate(16))).get();
    }

    @Test
    void shouldRefuseHandlesThatAreGone()
    {
        final CudaDriver.Event event = driver.createEvent();
        driver.destroy(event);
        assertAnswer(INVALID_HANDLE, () -> driver.record(event, rank.stream));
        assertAnswer(INVALID_HANDLE, () -> driver.destroy(event));
        final CudaDriver.Stream stream = driver.createStream("gone");
        driver.destroy(stream);
        assertAnswer(INVALID_HANDLE, () -> driver.synchronize(stream));
        final CudaDriver.KernelModule module = driver.loadModule(EmulatedRank.image("other"));
        driver.unload(module);
        assertAnswer(INVALID_HANDLE, () -> driver.kernel(module, "test_add"));
    }

    @Test
    void shouldRefuseMemoryThatIsGoneOrTooSmall()
    {
        final DeviceMemory device = driver.allocate(64);
        final PinnedMemory pinned = driver.allocatePinned(128);
        assertAnswer(INVALID_VALUE, () -> driver.copyToDevice(device, pinned, 65, rank.stream));
        assertAnswer(INVALID_VALUE, () -> driver.copyToHost(pinned.slice(96, 32), device, 33, rank.stream));
        assertAnswer(INVALID_VALUE, () -> driver.fill(device, 0, 17, rank.stream));
        driver.free(device);
        assertAnswer(INVALID_VALUE, () -> driver.copyToHost(pinned, device, 64, rank.stream));
        assertAnswer(INVALID_VALUE, () -> driver.free(device));
        driver.free(pinned);
        assertAnswer(INVALID_VALUE, () -> driver.writeWord(pinned, 1, rank.stream));
    }

    @Test
    void shouldRefuseLaunchesThatNoDeviceTakes()
    {
        final DeviceMemory data = rank.upload(1);
        final KernelArguments arguments = rank.arguments().pointer(data).int32(1).int32(1);
        assertAnswer(INVALID_VALUE, () -> rank.launch("test_add", 1, 1025, 0, arguments));
        assertAnswer(INVALID_VALUE, () -> rank.launch("test_add", 0, 32, 0, arguments));
        assertAnswer(INVALID_VALUE, () -> rank.launch("test_add", 1, 32, 227 * 1024 + 1, arguments));
        assertAnswer(NOT_FOUND, () -> rank.launch("test_none", 1, 32, 0, arguments));
        assertAnswer(INVALID_VALUE, () -> rank.launch("test_add", 1, 32, 0, rank.arguments().pointer(data)));
        assertArrayEquals(new int[]{1}, rank.download(data, 1));
    }

    @Test
    void shouldKeepToTheLaunchBoundsOfAKernel()
    {
        final DeviceMemory step = rank.upload(new int[16]);
        final KernelArguments arguments = rank.arguments().pointer(step).pointer(step).int64(64).pointer(step);
        rank.launch("stream_bytes", 1, 256, 0, arguments);
        assertAnswer(INVALID_VALUE, () -> rank.launch("stream_bytes", 1, 257, 0, arguments));
    }

    @Test
    void shouldTakeImagesByTheirHeaderAndSymbolsByTheirName()
    {
        assertTrue(driver.hasGlobal(rank.module, "signalbox_test_mark"));
        assertFalse(driver.hasGlobal(rank.module, "signalbox_test"));
        final var image = EmulatedRank.image("mark").putInt(0, 1);
        assertAnswer(INVALID_IMAGE, () -> driver.loadModule(image));
    }

    @Test
    void shouldRunOutOfMemory()
    {
        EmulatedDriver.memoryBytes(4096);
        final DeviceMemory first = driver.allocate(2048);
        assertEquals(2048, driver.freeMemoryBytes());
        assertAnswer(CudaException.OUT_OF_MEMORY, () -> driver.allocate(2049));
        driver.free(first);
        assertEquals(4096, driver.allocate(4096).bytes());
    }

    @Test
    void shouldFailTheCallThatIsNamed()
    {
        EmulatedDriver.failCall("cuMemAlloc", 2, CudaException.OUT_OF_MEMORY);
        driver.allocate(16);
        driver.createEvent();
        assertAnswer(CudaException.OUT_OF_MEMORY, () -> driver.allocate(16));
        driver.allocate(16);
        EmulatedDriver.failAnyCall(1, CudaException.NOT_SUPPORTED);
        assertAnswer(CudaException.NOT_SUPPORTED, () -> driver.createEvent());
    }

    @Test
    void shouldAnswerAFailedLaunchFromThenOn()
    {
        final DeviceMemory data = rank.upload(1);
        EmulatedDriver.failLaunch(2, CudaException.LAUNCH_FAILED);
        final KernelArguments arguments = rank.arguments().pointer(data).int32(1).int32(1);
        final CudaDriver.Launch launch = rank.prepare("test_add", 1, 32, 0, arguments);
        driver.launch(launch, rank.stream);
        driver.launch(launch, rank.stream);
        assertAnswer(CudaException.LAUNCH_FAILED, () -> driver.synchronize(rank.stream));
        assertAnswer(CudaException.LAUNCH_FAILED, () -> driver.launch(launch, rank.stream));
        assertAnswer(CudaException.LAUNCH_FAILED, () -> driver.free(data));
        assertAnswer(CudaException.LAUNCH_FAILED, () -> driver.releasePrimaryContext(rank.context));
        assertAnswer(CudaException.LAUNCH_FAILED, () -> driver.retainPrimaryContext(0));
        assertTrue(EmulatedDriver.lastFault().contains("test_add"), EmulatedDriver.lastFault());
    }

    @Test
    void shouldCountWhatIsNotGivenBack()
    {
        final DeviceMemory device = driver.allocate(16);
        final PinnedMemory pinned = driver.allocatePinned(16);
        final CudaDriver.Event event = driver.createEvent();
        driver.copyToDevice(device, pinned, 16, rank.stream);
        driver.copyToHost(pinned, device, 8, rank.stream);
        assertEquals(1, EmulatedDriver.count(Count.DEVICE_ALLOCATIONS));
        assertEquals(1, EmulatedDriver.count(Count.PINNED_ALLOCATIONS));
        assertEquals(1, EmulatedDriver.count(Count.EVENTS));
        assertEquals(1, EmulatedDriver.count(Count.STREAMS));
        assertEquals(1, EmulatedDriver.count(Count.MODULES));
        assertEquals(16, EmulatedDriver.count(Count.BYTES_TO_DEVICE));
        assertEquals(8, EmulatedDriver.count(Count.BYTES_TO_HOST));
        assertEquals(1, EmulatedDriver.calls("cuMemAlloc"));
        driver.free(device);
        driver.free(pinned);
        driver.destroy(event);
        driver.destroy(rank.stream);
        driver.unload(rank.module);
        driver.releasePrimaryContext(rank.context);
        for (final Count live : new Count[]{Count.DEVICE_ALLOCATIONS, Count.PINNED_ALLOCATIONS, Count.EVENTS,
            Count.STREAMS, Count.MODULES, Count.GRAPHS, Count.CONTEXTS, Count.HOST_FUNCTIONS})
        {
            assertEquals(0, EmulatedDriver.count(live), live.toString());
        }
    }

    @Test
    void shouldStillCountWhatAContextTookWithIt()
    {
        driver.allocate(16);
        driver.releasePrimaryContext(rank.context);
        assertEquals(1, EmulatedDriver.count(Count.DEVICE_ALLOCATIONS));
        assertAnswer(CONTEXT_IS_DESTROYED, () -> driver.allocate(16));
    }

    @Test
    void shouldKeepDevicesApart()
    {
        EmulatedDriver.reset();
        EmulatedDriver.devices(2);
        final EmulatedRank first = new EmulatedRank();
        final CudaDriver.Context second = driver.retainPrimaryContext(1);
        driver.makeCurrent(second);
        assertAnswer(INVALID_HANDLE, () -> driver.record(driver.createEvent(), first.stream));
        EmulatedDriver.failLaunch(1, CudaException.LAUNCH_FAILED);
        driver.makeCurrent(first.context);
        final DeviceMemory data = first.upload(1);
        first.launch("test_add", 1, 1, 0, first.arguments().pointer(data).int32(1).int32(1));
        assertAnswer(CudaException.LAUNCH_FAILED, () -> driver.allocate(16));
        driver.makeCurrent(second);
        assertEquals(16, driver.allocate(16).bytes());
    }

    @Test
    void shouldDeclineToWriteWordsWhereDevicesCannot()
    {
        final PinnedMemory word = rank.pinned(0);
        driver.writeWord(word, 5, rank.stream);
        assertEquals(5, word.buffer().getInt(0));
        EmulatedDriver.offerStreamWrites(false);
        assertAnswer(CudaException.NOT_SUPPORTED, () -> driver.writeWord(word, 6, rank.stream));
        assertEquals(5, word.buffer().getInt(0));
    }

    @Test
    void shouldServeAProcessThatKnowsNothingOfIt() throws IOException, InterruptedException
    {
        final String answer = ProbeProcess.answer(Map.of("LD_LIBRARY_PATH",
            EmulatedDriverBuild.library().getParent().toString(), "SIGNALBOX_EMULATED",
            "threaded,delay=10,devices=2,memory=4096"));

        assertTrue(answer.startsWith("READY [4096, 4096] 2 GPUs"), answer);
    }

    private static void assertAnswer(final int code, final Executable call)
    {
        assertEquals(code, assertThrows(CudaException.class, call).code());
    }
}
