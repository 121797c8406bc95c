// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import io.signalbox.cuda.driver.EmulatedDriver.Order;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Features that kernels find: warps, shared memory, barriers, atomics; and which errors of kernels are found. */
@Tag("threads")
class EmulatedKernelsTest
{
    private static final int LANES = 32;
    private static final int COLLECTIVES = 14;

    private EmulatedRank rank;

    @BeforeEach
    void open()
    {
        EmulatedDriver.assumeAvailable();
        rank = new EmulatedRank();
    }

    @ParameterizedTest
    @EnumSource
    void shouldExchangeBetweenLanesAsAWarpDoes(final Order order)
    {
        EmulatedDriver.order(order, 3);
        final int[] values = IntStream.range(0, LANES).map(lane -> lane * lane + 7).toArray();
        final DeviceMemory source = rank.upload(values);
        final DeviceMemory results = rank.upload(new int[COLLECTIVES * LANES]);
        rank.launch("test_collectives", 1, LANES, 0, rank.arguments().pointer(source).pointer(results));
        final int[] found = rank.download(results, COLLECTIVES * LANES);
        int odd = 0;
        for (int lane = 0; lane < LANES; lane++)
        {
            odd |= (values[lane] & 1) << lane;
        }
        final int votes = odd;
        assertRow(found, 0, lane -> values[(lane + 5) % LANES]);
        assertRow(found, 1, lane -> values[lane < 3 ? lane : lane - 3]);
        assertRow(found, 2, lane -> values[lane + 7 < LANES ? lane + 7 : lane]);
        assertRow(found, 3, lane -> values[lane ^ 16]);
        assertRow(found, 4, lane -> values[lane / 8 * 8 + 2]);
        assertRow(found, 5, lane -> values[lane % 8 == 0 ? lane : lane - 1]);
        assertRow(found, 6, lane -> values[lane % 8 == 7 ? lane : lane + 1]);
        assertRow(found, 7, lane -> values[lane ^ 3]);
        assertRow(found, 8, lane -> votes);
        assertRow(found, 9, lane -> 1);
        assertRow(found, 10, lane -> 0);
        assertRow(found, 11, lane -> values[lane ^ 1]);
        assertRow(found, 12, lane -> values[lane < 16 ? lane ^ 1 : lane ^ 2]);
        assertRow(found, 13, lane -> values[lane ^ 31]);
    }

    private static void assertRow(final int[] found, final int row, final IntUnaryOperator expected)
    {
        assertArrayEquals(IntStream.range(0, LANES).map(expected).toArray(),
            Arrays.copyOfRange(found, LANES * row, LANES * (row + 1)), "row " + row);
    }

    /** A device would read addresses after the table, or would not read all of them. */
    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "3, more"})
    void shouldRefuseALaunchWithAWrongNumberOfArguments(final int count, final String given)
    {
        final DeviceMemory memory = rank.upload(new int[LANES]);
        final KernelArguments arguments = new KernelArguments(count);
        for (int i = 0; i < count; i++)
        {
            arguments.pointer(memory);
        }
        assertThrows(CudaException.class, () -> rank.launch("test_collectives", 1, LANES, 0, arguments));
        assertEquals("kernel test_collectives has 2 parameters and was given " + given + " arguments",
            EmulatedDriver.lastFault());
    }

    @ParameterizedTest
    @EnumSource
    void shouldShareMemoryWithinABlock(final Order order)
    {
        EmulatedDriver.order(order, 5);
        assertArrayEquals(reversed(4, 256), runReverse("test_reverse", 4, 256));
        assertArrayEquals(reversed(3, 33), runReverse("test_reverse", 3, 33));
    }

    @Test
    void shouldFindAMissingBarrierByTheOrderOfWarps()
    {
        EmulatedDriver.order(Order.FORWARD, 1);
        final int[] forward = runReverse("test_reverse_unsynchronised", 1, 256);
        EmulatedDriver.order(Order.REVERSED, 1);
        final int[] backward = runReverse("test_reverse_unsynchronised", 1, 256);
        assertFalse(Arrays.equals(forward, backward), "the planted error is not seen");
    }

    private int[] runReverse(final String kernel, final int blocks, final int threads)
    {
        final int count = blocks * threads;
        final DeviceMemory source = rank.upload(IntStream.range(0, count).toArray());
        final DeviceMemory target = rank.upload(new int[count]);
        rank.launch(kernel, blocks, threads, 4 * threads, rank.arguments().pointer(source).pointer(target));
        return rank.download(target, count);
    }

    private static int[] reversed(final int blocks, final int threads)
    {
        return IntStream.range(0, blocks * threads)
            .map(i -> i / threads * threads + threads - 1 - i % threads).toArray();
    }

    @ParameterizedTest
    @EnumSource
    void shouldAddAtomically(final Order order)
    {
        EmulatedDriver.order(order, 7);
        final DeviceMemory results = rank.upload(0, 0, 0, 0, 0, 0);
        rank.launch("test_atomics", 5, 64, 0, rank.arguments().pointer(results).pointer(results.slice(4, 4))
            .pointer(results.slice(8, 4)).pointer(results.slice(16, 8)).pointer(results.slice(12, 4)));
        assertArrayEquals(new int[]{320 * 321 / 2, 320, -320, Float.floatToIntBits(320), 0, 320},
            rank.download(results, 6));
    }

    @ParameterizedTest
    @EnumSource
    void shouldReportABarrierThatNotAllThreadsReach(final Order order)
    {
        EmulatedDriver.order(order, 9);
        assertFault("test_divergent_barrier", "__syncthreads");
        final String fault = EmulatedDriver.lastFault();
        assertTrue(fault.contains("planted.cu") && fault.contains("has ended"), fault);
    }

    @Test
    void shouldReportAMaskThatNamesLanesThatLeft()
    {
        assertFault("test_divergent_shuffle", "__shfl_xor_sync");
    }

    private void assertFault(final String kernel, final String where)
    {
        final DeviceMemory target = rank.upload(new int[64]);
        rank.launch(kernel, 1, 64, 0, rank.arguments().pointer(target));
        final int code = assertThrows(CudaException.class, () -> rank.driver.synchronize(rank.stream)).code();
        assertEquals(CudaException.LAUNCH_FAILED, code);
        final String fault = EmulatedDriver.lastFault();
        assertTrue(fault.contains(kernel) && fault.contains(where), fault);
    }

    @Test
    void shouldRunAgainAfterAFault()
    {
        assertFault("test_divergent_barrier", "__syncthreads");
        EmulatedDriver.reset();
        rank = new EmulatedRank();
        assertArrayEquals(reversed(2, 64), runReverse("test_reverse", 2, 64));
    }

    @EnabledIfSystemProperty(named = "signalbox.tests", matches = "full")
    @ParameterizedTest
    @EnumSource
    void shouldStayWithinMemoryInAStep(final Order order) throws IOException, InterruptedException
    {
        final Result result = runSanitized("step", order);
        assertEquals(0, result.exit, result.output);
        assertTrue(result.output.contains("kernel-check: done"), result.output);
    }

    @EnabledIfSystemProperty(named = "signalbox.tests", matches = "full")
    @Test
    void shouldNameTheLineOfAStoreOutOfBounds() throws IOException, InterruptedException
    {
        final Result result = runSanitized("planted", Order.FORWARD);
        assertTrue(result.exit != 0, result.output);
        assertTrue(result.output.contains("heap-buffer-overflow"), result.output);
        assertTrue(result.output.matches("(?s).*test_out_of_bounds [^\n]*planted\\.cu:\\d+.*"), result.output);
    }

    @EnabledIfSystemProperty(named = "signalbox.tests", matches = "full")
    @Test
    void shouldNameTheLineOfALoadThatIsNotAligned() throws IOException, InterruptedException
    {
        final Result result = runSanitized("misaligned", Order.FORWARD);
        assertTrue(result.exit != 0, result.output);
        assertTrue(result.output.matches("(?s).*planted\\.cu:\\d+:\\d+: runtime error: [^\n]*misaligned address.*uint4.*"),
            result.output);
    }

    private static Result runSanitized(final String what, final Order order) throws IOException, InterruptedException
    {
        final String reason = EmulatedDriverBuild.whyNoSanitizer();
        Assumptions.assumeTrue(reason.isEmpty(), reason);
        final Path program = EmulatedDriverBuild.sanitizedProgram();
        final ProcessBuilder builder = new ProcessBuilder(program.toString(), what).redirectErrorStream(true);
        builder.environment().put("SIGNALBOX_EMULATED", "order=" + order.name().toLowerCase());
        builder.environment().put("ASAN_OPTIONS", "detect_leaks=0");
        final Process process = builder.start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output);
    }

    private record Result(int exit, String output)
    {
    }
}
