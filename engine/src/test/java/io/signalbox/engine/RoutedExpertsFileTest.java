// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts.RowState;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.experts.RoutedExpertsException;
import io.signalbox.experts.WeightSpan;
import io.signalbox.export.RoutedExpertsFile;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The result of a request as an object and as files. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RoutedExpertsFileTest
{
    private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);
    private static final ModelShape SHAPE = new ModelShape(2, 64, 4).withLayerIds(List.of(3, 5));

    @TempDir
    private Path directory;

    /** 40 positions of a prompt, of which 32 were computed for an earlier request, and two that were generated. */
    private static RoutedExperts experts(final int from) throws Exception
    {
        return experts(from, SHAPE);
    }

    private static RoutedExperts experts(final int from, final ModelShape shape) throws Exception
    {
        final SchedulerConfig settings = SchedulerConfig.builder().ranks(1).kvBlocks(65).capture(shape).build();
        try (SignalboxEngine engine = SignalboxEngine.launch(
            new EngineConfig().scheduler(settings).backend(new CountingBackend(0))))
        {
            engine.newWeights(WeightSwap.CONTINUE, "second");
            final CompletionRequest request = CompletionRequest.prompt(new int[40]).maxNewTokens(3).routedExperts(from);
            engine.submit(request).releaseRoutedExperts(LONG_ENOUGH);
            return engine.submit(request).takeRoutedExperts(LONG_ENOUGH).orElse(null);
        }
    }

    @Test
    void shouldSayOfEachRowWhereItCameFrom() throws Exception
    {
        final RoutedExperts experts = experts(10);
        assertEquals(10, experts.start());
        assertEquals(32, experts.rows());
        assertEquals(30, experts.promptRows());
        assertEquals(2, experts.generatedRows());
        assertEquals(RowState.INHERITED, experts.state(0));
        assertEquals(RowState.INHERITED, experts.state(21));
        assertEquals(RowState.CAPTURED, experts.state(22));
        assertEquals(RowState.CAPTURED, experts.state(31));
        assertEquals(22, experts.count(RowState.INHERITED));
        assertEquals(0, experts.count(RowState.MISSING));
        assertEquals(List.of(new WeightSpan(10, 42, 1)), experts.weights());
        assertEquals(1, experts.generation(31));
        assertEquals(3, experts.expert(31, 1, 3));
        assertEquals("32 rows of 2 layers and top-4 from position 10: 10 captured, 22 inherited, 0 missing",
            experts.toString());
    }

    @Test
    void shouldNotChangeThroughItsCopies() throws Exception
    {
        final RoutedExperts experts = experts(0);
        Arrays.fill(experts.ids(), (short)9);
        assertEquals(1, experts.expert(0, 0, 1));
        assertThrows(UnsupportedOperationException.class, () -> experts.weights().clear());
    }

    @Test
    void shouldWriteAnArrayWithAnAlignedHeader() throws Exception
    {
        final RoutedExperts experts = experts(0);
        final Path file = directory.resolve("rows.npy");
        RoutedExpertsFile.npy(experts, file);
        final ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        final int header = bytes.getShort(8);
        assertEquals(0, (10 + header) % 64);
        assertEquals("{'descr': '<i2', 'fortran_order': False, 'shape': (42, 2, 4), }",
            new String(bytes.array(), 10, header, StandardCharsets.US_ASCII).strip());
        final short[] ids = new short[42 * 8];
        bytes.position(10 + header).slice().order(ByteOrder.LITTLE_ENDIAN).asShortBuffer().get(ids);
        assertArrayEquals(experts.ids(), ids);
    }

    @Test
    void shouldWriteTheSameBytesAgain() throws Exception
    {
        RoutedExpertsFile.npz(experts(0), directory.resolve("a.npz"));
        RoutedExpertsFile.npz(experts(0), directory.resolve("b.npz"));
        assertEquals(-1, Files.mismatch(directory.resolve("a.npz"), directory.resolve("b.npz")));
        assertEquals(List.of("ids.npy", "state.npy", "layers.npy", "start.npy", "prompt_rows.npy", "weights.npy"),
            names(directory.resolve("a.npz")));
    }

    private static List<String> names(final Path file) throws IOException
    {
        final List<String> names = new ArrayList<>();
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(file)))
        {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry())
            {
                names.add(entry.getName());
            }
        }
        return names;
    }

    @Test
    void shouldNeverOverwriteAFile() throws Exception
    {
        final Path file = Files.writeString(directory.resolve("rows.npy"), "kept");
        final RoutedExperts experts = experts(0);
        assertEquals("the file " + file + " exists, and files are never overwritten; name a new one.",
            assertThrows(ConfigException.class, () -> RoutedExpertsFile.npy(experts, file)).getMessage());
        assertEquals("kept", Files.readString(file));
        final Path nowhere = directory.resolve("absent").resolve("rows.npz");
        final String message =
            assertThrows(ConfigException.class, () -> RoutedExpertsFile.npz(experts, nowhere)).getMessage();
        assertTrue(message.startsWith("the routed experts could not be written to " + nowhere), message);
        assertFalse(Files.exists(nowhere));
    }

    @Test
    void shouldBeReadByNumPy() throws Exception
    {
        assumeTrue(run("import numpy").isEmpty(), "skipped: python3 with NumPy is not installed");
        final RoutedExperts experts = experts(10);
        RoutedExpertsFile.npy(experts, directory.resolve("rows.npy"));
        RoutedExpertsFile.npz(experts, directory.resolve("rows.npz"));
        long sum = 0;
        for (final short id : experts.ids())
        {
            sum += id;
        }
        assertEquals("int16 (32, 2, 4) " + sum + " True 22 10 [3, 5] 10 30 [[10, 42, 1]]", run("""
            import numpy as np
            a = np.load('rows.npy')
            z = np.load('rows.npz')
            s = z['state']
            print(a.dtype, a.shape, int(a.sum()), bool((a == z['ids']).all()), int((s == 2).sum()), int((s == 1).sum()),
                  z['layers'].tolist(), int(z['start']), int(z['prompt_rows']), z['weights'].tolist())
            """));
    }

    @Test
    void shouldWriteCombineWeightsThatNumPyReads() throws Exception
    {
        assumeTrue(run("import numpy").isEmpty(), "skipped: python3 with NumPy is not installed");
        final RoutedExperts experts = experts(10, SHAPE.withCombineWeights(true));
        RoutedExpertsFile.combineWeightsNpy(experts, directory.resolve("weights.npy"));
        RoutedExpertsFile.npz(experts, directory.resolve("rows.npz"));
        assertEquals(List.of("ids.npy", "state.npy", "layers.npy", "start.npy", "prompt_rows.npy", "weights.npy",
            "combine_weights.npy"), names(directory.resolve("rows.npz")));
        assertEquals("float32 (32, 2, 4) True True (32, 2, 4)", run("""
            import numpy as np
            a = np.load('weights.npy')
            z = np.load('rows.npz')
            print(a.dtype, a.shape, bool((a == (np.float32(1) / (z['ids'] + 3).astype(np.float32))).all()),
                  bool((a == z['combine_weights']).all()), z['combine_weights'].shape)
            """));
    }

    @Test
    void shouldRefuseToWriteCombineWeightsThatWereNotCaptured() throws Exception
    {
        final RoutedExperts experts = experts(0);
        final Path file = directory.resolve("weights.npy");
        assertThrows(RoutedExpertsException.class, () -> RoutedExpertsFile.combineWeightsNpy(experts, file));
        assertFalse(Files.exists(file));
    }

    /** Returns what the program prints, which is a message if it fails. */
    private String run(final String program) throws Exception
    {
        try
        {
            final Process process = new ProcessBuilder("python3", "-c", program)
                .directory(directory.toFile()).redirectErrorStream(true).start();
            final String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            assertTrue(process.waitFor(60, TimeUnit.SECONDS));
            return printed;
        }
        catch (final IOException e)
        {
            return e.toString();
        }
    }
}
