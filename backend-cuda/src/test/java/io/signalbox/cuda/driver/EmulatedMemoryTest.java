// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Accesses of kernels that a device may let pass: each is found at the access, and names its place. */
class EmulatedMemoryTest
{
    private static final int INVALID_VALUE = 1;
    private static final int ILLEGAL_ADDRESS = 700;
    private static final int MISALIGNED_ADDRESS = 716;
    private static final int UNWRITTEN = 0xA5A5A5A5;
    private static final int WORDS = 25;

    private EmulatedRank rank;
    private CudaDriver driver;
    private DeviceMemory target;

    @BeforeEach
    void open()
    {
        EmulatedDriver.assumeAvailable();
        start();
    }

    private void start()
    {
        rank = new EmulatedRank();
        driver = rank.driver;
        target = rank.upload(0, 0, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void shouldLetKernelsUseAllOfAnAllocation()
    {
        final DeviceMemory data = rank.upload(new int[WORDS]);
        writeAt(data, 0);
        writeAt(data, WORDS - 1);
        readAt(data, WORDS - 1);
        assertEquals(7, rank.download(target, 1)[0]);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, WORDS, 1L << 33, -(1L << 33)})
    void shouldFindReadsOutsideAnAllocation(final long index)
    {
        final DeviceMemory data = rank.upload(new int[WORDS]);
        readAt(data, index);
        assertFault(ILLEGAL_ADDRESS, "test_read_at, block 0, thread 0: reads 4 bytes at 0x");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, WORDS})
    void shouldFindWritesOutsideAnAllocation(final long index)
    {
        final DeviceMemory data = rank.upload(new int[WORDS]);
        writeAt(data, index);
        assertFault(ILLEGAL_ADDRESS, index < 0 ? "4 bytes before an allocation of 100 bytes" :
            "4 bytes past the end of an allocation of 100 bytes");
    }

    @Test
    void shouldFindAnAccessThatBeginsInsideAndEndsOutside()
    {
        final DeviceMemory data = driver.allocate(18);
        writeAt(data, 4);
        assertFault(ILLEGAL_ADDRESS, "2 bytes past the end of an allocation of 18 bytes");
    }

    @Test
    void shouldFindReadsOfFreedMemory()
    {
        final DeviceMemory data = rank.upload(new int[WORDS]);
        final DeviceMemory gone = rank.upload(new int[WORDS]);
        final long index = (gone.address() - data.address()) / Integer.BYTES;
        readAt(data, index);
        driver.synchronize(rank.stream);
        driver.free(gone);
        readAt(data, index);
        assertFault(ILLEGAL_ADDRESS, "0 bytes into an allocation of 100 bytes that was freed");
    }

    @Test
    void shouldRefuseArgumentsThatPointToNoLiveMemory()
    {
        final DeviceMemory gone = rank.upload(new int[WORDS]);
        driver.free(gone);
        assertAnswer(INVALID_VALUE, () -> readAt(gone, 0));
        final String fault = EmulatedDriver.lastFault();
        assertTrue(fault.contains("argument 0 of kernel test_read_at") && fault.contains("no live memory"), fault);
    }

    @Test
    void shouldKeepKernelsFromMemoryOfAnotherDevice()
    {
        EmulatedDriver.reset();
        EmulatedDriver.devices(2);
        start();
        final DeviceMemory data = rank.upload(new int[WORDS]);
        driver.makeCurrent(driver.retainPrimaryContext(1));
        final DeviceMemory other = driver.allocate(64);
        driver.makeCurrent(rank.context);
        assertAnswer(INVALID_VALUE, () -> readAt(other, 0));
        assertAnswer(INVALID_VALUE, () -> driver.fill(other, 1, 1, rank.stream));
        assertAnswer(INVALID_VALUE, () -> driver.copyToHost(rank.pinned(0), other, 4, rank.stream));
        readAt(data, (other.address() - data.address()) / Integer.BYTES);
        assertFault(ILLEGAL_ADDRESS, "in memory of device 1 from device 0");
    }

    @Test
    void shouldRefuseAGraphWhoseMemoryWasFreed()
    {
        final DeviceMemory data = rank.upload(new int[WORDS]);
        final PinnedMemory host = rank.pinned(0);
        final CudaDriver.Graph launching = captured(() -> readAt(data, 0));
        final CudaDriver.Graph filling = captured(() -> driver.fill(data, 0, 1, rank.stream));
        final CudaDriver.Graph copying = captured(() -> driver.copyToHost(host, target, 4, rank.stream));
        driver.launch(launching, rank.stream);
        driver.launch(filling, rank.stream);
        driver.launch(copying, rank.stream);
        driver.free(data);
        driver.free(host);
        assertAnswer(INVALID_VALUE, () -> driver.launch(launching, rank.stream));
        assertAnswer(INVALID_VALUE, () -> driver.launch(filling, rank.stream));
        assertAnswer(INVALID_VALUE, () -> driver.launch(copying, rank.stream));
    }

    private CudaDriver.Graph captured(final Runnable calls)
    {
        driver.beginCapture(rank.stream);
        calls.run();
        return driver.endCapture(rank.stream);
    }

    @Test
    void shouldTrapVectorsThatAreNotAligned()
    {
        final DeviceMemory data = rank.upload(new int[16]);
        loadVector(data, 16);
        driver.synchronize(rank.stream);
        loadVector(data, 8);
        assertFault(MISALIGNED_ADDRESS, "is not a multiple of 16");
        final String fault = EmulatedDriver.lastFault();
        assertTrue(fault.contains("uint4") && fault.contains("planted.cu"), fault);
    }

    private void loadVector(final DeviceMemory data, final long offset)
    {
        rank.launch("test_load_vector", 1, 1, 0, rank.arguments().pointer(data).int64(offset).pointer(target));
    }

    @Test
    void shouldFindWritesBesidePageLockedMemory()
    {
        final PinnedMemory beside = rank.pinned(1, 2, 3);
        new UnsafeBuffer(new UnsafeBuffer(beside.buffer()).addressOffset() + 12, 4).putInt(0, 5);
        assertFault(ILLEGAL_ADDRESS, "memory next to an allocation of 12 bytes");
    }

    @Test
    void shouldFindWritesBesideDeviceMemoryWhenItIsFreed()
    {
        final DeviceMemory data = driver.allocate(64);
        new UnsafeBuffer(data.address() - 1, 1).putByte(0, (byte)5);
        assertAnswer(ILLEGAL_ADDRESS, () -> driver.free(data));
        final String fault = EmulatedDriver.lastFault();
        assertTrue(fault.contains("memory next to an allocation of 64 bytes"), fault);
    }

    @Test
    void shouldFillSharedMemoryWithGarbageForEveryBlock()
    {
        rank.launch("test_stale_shared", 3, 1, 16, rank.arguments().pointer(target).int32(0));
        final int[] garbage = {UNWRITTEN, UNWRITTEN, UNWRITTEN, UNWRITTEN, UNWRITTEN, UNWRITTEN};
        assertArrayEquals(garbage, rank.download(target, 6));
        rank.launch("test_stale_shared", 3, 1, 16, rank.arguments().pointer(target).int32(7));
        assertArrayEquals(garbage, rank.download(target, 6));
    }

    @Test
    void shouldFindStoresBeyondDynamicSharedMemory()
    {
        rank.launch("test_beyond_shared", 1, 8, 64, rank.arguments().pointer(target));
        driver.synchronize(rank.stream);
        rank.launch("test_beyond_shared", 1, 8, 32, rank.arguments().pointer(target));
        assertFault(ILLEGAL_ADDRESS, "4 bytes past the end of an allocation of 32 bytes");
    }

    @Test
    void shouldHandOutGarbage()
    {
        final DeviceMemory data = driver.allocate(1 << 20);
        assertArrayEquals(new int[]{UNWRITTEN, UNWRITTEN}, rank.download(data.slice((1 << 20) - 8, 8), 2));
        final PinnedMemory pinned = driver.allocatePinned(8);
        assertArrayEquals(new int[]{0, 0}, EmulatedRank.values(pinned, 2), "the binding zeroes page-locked memory");
    }

    @Test
    void shouldOfferTheMemoryOfALargeDeviceWithoutHavingIt()
    {
        final long bytes = 100L << 30;
        EmulatedDriver.memoryBytes(139L << 30);
        final long free = driver.freeMemoryBytes();
        final DeviceMemory data = driver.allocate(bytes);
        final long far = bytes / Integer.BYTES - 1;
        assertEquals(free - bytes, driver.freeMemoryBytes());
        writeAt(data, far);
        driver.fill(data.slice(5L << 30, 4), 8, 1, rank.stream);
        assertArrayEquals(new int[]{7}, rank.download(data.slice(far * Integer.BYTES, 4), 1));
        assertArrayEquals(new int[]{8, UNWRITTEN}, rank.download(data.slice(5L << 30, 8), 2));
        rank.launch("test_write_narrow", 1, 1, 0, rank.arguments().pointer(data).int64(3L << 30).int32(7));
        assertFault(ILLEGAL_ADDRESS, "test_write_narrow");
    }

    private void readAt(final DeviceMemory data, final long index)
    {
        rank.launch("test_read_at", 1, 1, 0, rank.arguments().pointer(data).int64(index).pointer(target));
    }

    private void writeAt(final DeviceMemory data, final long index)
    {
        rank.launch("test_write_at", 1, 1, 0, rank.arguments().pointer(data).int64(index).int32(7));
    }

    private void assertFault(final int code, final String text)
    {
        assertAnswer(code, () -> driver.synchronize(rank.stream));
        final String fault = EmulatedDriver.lastFault();
        assertTrue(fault.contains(text), fault);
    }

    private static void assertAnswer(final int code, final Executable call)
    {
        assertEquals(code, assertThrows(CudaException.class, call).code());
    }
}
