// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.ConfigException;
import io.signalbox.backend.RankSizes;
import io.signalbox.cpu.CpuBackend;
import io.signalbox.cpu.CpuBackendConfig;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.EmulatedDriver.Count;
import io.signalbox.cuda.driver.ThreadedDriver;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.model.Checkpoint;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.WeightType;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.Precision;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Checkpoints, as transformers wrote them and as they are published, on their way to the device. */
@Timeout(300)
@ExtendWith(ThreadedDriver.class)
class CudaCheckpointTest
{
    private static final Path FIXTURES = Path.of(System.getProperty("signalbox.root"))
        .resolve("model/src/test/resources/io/signalbox/model/forward");
    /** Written by the test. */
    private static final String MXFP4 = "gpt-oss in MXFP4";
    private static final Path HUB =
        Path.of(System.getProperty("signalbox.root")).resolve("../shared/models/hub").normalize();
    private static final String TENSORS = "model.safetensors";
    private static final Pattern TENSOR = Pattern.compile(
        "\"([^\"]+)\":\\{\"dtype\":\"BF16\",\"shape\":(\\[[0-9,]+]),\"data_offsets\":\\[([0-9]+),([0-9]+)]}");

    private final AtomicLong copied = new AtomicLong();

    @TempDir
    private Path model;

    private Checkpoint open() throws IOException
    {
        return open("olmoe-wide-bf16");
    }

    private Checkpoint open(final String fixture) throws IOException
    {
        if (fixture.equals(MXFP4))
        {
            Mxfp4Checkpoint.write(model, 120, 121, 122, 123, 124, 125);
            return Checkpoint.open(model, copied::addAndGet);
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(FIXTURES.resolve(fixture), "{config,model}*.gz"))
        {
            for (final Path file : files)
            {
                try (InputStream content = new GZIPInputStream(Files.newInputStream(file)))
                {
                    Files.copy(content, model.resolve(file.getFileName().toString().replaceFirst("\\.gz$", "")));
                }
            }
        }
        return Checkpoint.open(model, copied::addAndGet);
    }

    private static CudaBackend backend(final Checkpoint checkpoint, final List<Integer> devices)
    {
        final CudaBackend backend =
            new CudaBackend(new CudaBackendConfig().model(checkpoint.weights()).devices(devices).maxGraphTokens(1));
        backend.sizes(new RankSizes(8, 16, 8, 4, 2, 0));
        return backend;
    }

    /** The sum is all that there is to copy, but for norms, which are vectors. */
    @Test
    void shouldTellTheProgressOfEachDevice() throws IOException
    {
        EmulatedDriver.devices(2);
        final Checkpoint checkpoint = open();
        final long all = checkpoint.plan().parameters() * checkpoint.plan().type().bytes();
        try (CudaBackend backend = backend(checkpoint, List.of(0, 1)))
        {
            backend.start(2, null, new RankReports());
        }
        assertTrue(copied.get() <= 2 * all && copied.get() > 2 * all * 0.98, copied + " of " + 2 * all);
    }

    /** Stores tensors as float32, with the values that they have. */
    private void widen(final String names) throws IOException
    {
        final ByteBuffer file =
            ByteBuffer.wrap(Files.readAllBytes(model.resolve(TENSORS))).order(ByteOrder.LITTLE_ENDIAN);
        final int data = Long.BYTES + (int)file.getLong(0);
        final ByteBuffer widened = ByteBuffer.allocate(2 * file.capacity()).order(ByteOrder.LITTLE_ENDIAN);
        final String header = TENSOR.matcher(new String(file.array(), Long.BYTES, data - Long.BYTES, StandardCharsets.UTF_8))
            .replaceAll(tensor ->
            {
                final boolean widens = tensor.group(1).matches(names);
                final int from = widened.position();
                for (int at = Integer.parseInt(tensor.group(3)); at < Integer.parseInt(tensor.group(4)); at += Short.BYTES)
                {
                    final short bits = file.getShort(data + at);
                    if (widens)
                    {
                        widened.putFloat(WeightType.bf16(bits));
                    }
                    else
                    {
                        widened.putShort(bits);
                    }
                }
                return "\"" + tensor.group(1) + "\":{\"dtype\":\"" + (widens ? "F32" : "BF16") + "\",\"shape\":" +
                    tensor.group(2) + ",\"data_offsets\":[" + from + "," + widened.position() + "]}";
            });
        assertTrue(header.contains("F32"), header);
        final byte[] text = header.getBytes(StandardCharsets.UTF_8);
        final ByteBuffer written = ByteBuffer.allocate(Long.BYTES + text.length + widened.position())
            .order(ByteOrder.LITTLE_ENDIAN).putLong(text.length).put(text).put(widened.flip());
        Files.write(model.resolve(TENSORS), written.array());
    }

    private DecoderRuns.Ends serve(final Checkpoint checkpoint, final String journal) throws Exception
    {
        return DecoderRuns.serve(new CudaBackend(new CudaBackendConfig().model(checkpoint.weights()).maxGraphTokens(0)),
            DecoderRuns.scheduler().capture(checkpoint.plan().shape()).build(), checkpoint.plan().vocabulary(),
            model.resolve(journal), () -> { });
    }

    @Test
    void shouldAnswerAlikeIfRoutersAndNormsAreFloat32() throws Exception
    {
        final DecoderRuns.Ends plain = serve(open(), "plain");
        widen(".*(mlp\\.gate|norm)\\.weight");
        final DecoderRuns.Ends mixed = serve(Checkpoint.open(model), "mixed");

        assertEquals(List.of(), plain.faults());
        assertEquals(plain.tokens(), mixed.tokens());
        assertEquals(plain.experts(), mixed.experts());
    }

    /** One kernel computes all experts of a layer, with weights of one type. */
    @Test
    void shouldRefuseExpertsOfALayerInTwoTypes() throws IOException
    {
        open();
        widen("model\\.layers\\.1\\.mlp\\.experts\\.3\\.up_proj\\.weight");
        final ModelWeights weights = Checkpoint.open(model).weights();
        final CudaBackendConfig config = new CudaBackendConfig().model(weights).precision(Precision.F32);
        final CudaBackend backend = new CudaBackend(config);
        backend.sizes(new RankSizes(8, 16, 8, 4, 2, 0));

        final String message =
            assertThrows(ConfigException.class, () -> backend.start(1, null, new RankReports())).getMessage();
        assertEquals("the CUDA backend needs all experts of a layer in one type, and " +
            "model.layers.1.mlp.experts.0.gate_proj.weight is loaded as BF16, but " +
            "model.layers.1.mlp.experts.3.up_proj.weight as F32; choose precision=BF16, which rounds them to one type, or " +
            "--backend cpu.", message);
        try (CudaBackend rounding = backend(Checkpoint.open(model), List.of(0)))
        {
            rounding.start(1, null, new RankReports());
        }
    }

    /** Each format in each precision has the answers and the bytes of the CPU backend. */
    @ParameterizedTest
    @CsvSource({"mixtral-hub-f16, F32, F32", "qwen3moe-hub-fp8, BF16, BF16", MXFP4 + ", BF16, BF16"})
    void shouldAnswerAsTheCpuDoesInEveryFormat(final String fixture, final Precision precision, final WeightType experts)
        throws Exception
    {
        compareAnswers(open(fixture).weights(), precision, experts);
    }

    @EnabledIfSystemProperty(named = "signalbox.tests", matches = "full")
    @ParameterizedTest
    @CsvSource({"qwen3moe-hub-fp8, F32, F32", "gptoss-wide-bf16, BF16, BF16", MXFP4 + ", F32, BF16"})
    void shouldAnswerAsTheCpuDoesInOtherMixtures(final String fixture, final Precision precision, final WeightType experts)
        throws Exception
    {
        compareAnswers(open(fixture).weights(), precision, experts);
    }

    @EnabledIfSystemProperty(named = "signalbox.tests", matches = "full")
    @ParameterizedTest
    @CsvSource({"gptoss-narrow-mxfp4, BF16, BF16", "gptoss-wide-mxfp4, F32, BF16", "gptoss-wide-bf16, F32, BF16",
        "gptoss-narrow-bf16, BF16, BF16", "qwen3moe-hub-fp8, F32, F32"})
    void shouldAnswerAsTheCpuDoesWithPublishedForms(
        final String name, final Precision precision, final WeightType experts) throws Exception
    {
        final Path directory = HUB.resolve(name);
        Assumptions.assumeTrue(Files.isDirectory(directory), "skipped: the shared model " + directory + " is absent");
        compareAnswers(Checkpoint.open(directory, copied::addAndGet).weights(), precision, experts);
    }

    private void compareAnswers(final ModelWeights weights, final Precision precision, final WeightType experts)
        throws Exception
    {
        assertEquals(experts, precision.weights(weights).layers().get(0).moe().experts().get(0).gate().type());
        final CudaBackendConfig cuda = new CudaBackendConfig().model(weights).precision(precision).maxGraphTokens(0);
        final SchedulerConfig scheduler = DecoderRuns.scheduler().capture(weights.plan().shape()).build();
        final DecoderRuns.Ends ends = DecoderRuns.serve(
            new CudaBackend(cuda), scheduler, weights.plan().vocabulary(), model.resolve("cuda"), () -> { });
        final DecoderRuns.Ends expected = DecoderRuns.serve(
            new CpuBackend(ForwardModel.of(weights, precision), new CpuBackendConfig().threads(1).precision(precision)),
            scheduler, weights.plan().vocabulary(), model.resolve("cpu"), () -> { });

        assertEquals(List.of(), ends.faults());
        assertEquals(expected.tokens(), ends.tokens());
        assertEquals(expected.experts(), ends.experts());
        final long loaded = precision.weights(weights).matrices()
            .mapToLong(matrix -> (long)matrix.count() * matrix.type().bytes()).sum();
        assertEquals(2 * loaded, copied.get());
    }

    /** The exact kernels unpack weights when they multiply with them; the fast ones need bf16. */
    @ParameterizedTest
    @CsvSource({"qwen3moe-hub-fp8, EXACT, 8", "qwen3moe-hub-fp8, FAST, 16", MXFP4 + ", EXACT, 4"})
    void shouldKeepPackedWeightsNarrow(final String fixture, final KernelFamily family, final int bits) throws IOException
    {
        final ModelWeights weights = open(fixture).weights();
        final long matrices = weights.matrices()
            .mapToLong(matrix -> (long)matrix.count() * (matrix.packed() == null ? Short.SIZE : bits) / Byte.SIZE).sum();
        try (CudaBackend backend = new CudaBackend(new CudaBackendConfig().model(weights).precision(Precision.BF16)
            .kernelFamily(family).weightVersion("first").maxGraphTokens(0)))
        {
            backend.sizes(new RankSizes(8, 16, 8, 4, 2, 0));
            backend.start(1, null, new RankReports());
            final long before = EmulatedDriver.count(Count.BYTES_TO_DEVICE);
            backend.prepareWeights("same", weights);
            final long others = EmulatedDriver.count(Count.BYTES_TO_DEVICE) - before - matrices;
            assertTrue(others > 0 && others < matrices / 7, others + " of vectors and scales, " + matrices);
        }
    }

    /** The scales of blocks of 96 by 96 have the shapes of those of 128 by 128. */
    private ModelWeights inOtherBlocks() throws IOException
    {
        final Path config = model.resolve("config.json");
        final String text = Files.readString(config);
        final String changed = text.replaceAll("128,(\\s+)128", "96,$196");
        assertNotEquals(text, changed);
        Files.writeString(config, changed);
        return Checkpoint.open(model).weights();
    }

    private static void replace(final KernelFamily family, final ModelWeights first, final ModelWeights next)
    {
        try (CudaBackend backend = new CudaBackend(new CudaBackendConfig().model(first).precision(Precision.BF16)
            .kernelFamily(family).weightVersion("first").maxGraphTokens(0)))
        {
            backend.sizes(new RankSizes(8, 16, 8, 4, 2, 0));
            backend.start(1, null, new RankReports());
            backend.prepareWeights("next", next);
        }
    }

    /** The launches of exact kernels have the layout of the first weights. */
    @Test
    void shouldRefuseWeightsInAnotherLayoutForTheExactKernels() throws IOException
    {
        final ModelWeights packed = open("qwen3moe-hub-fp8").weights();
        final ModelWeights plain = GeneratedModel.weights(packed.plan(), 1);
        final String refused =
            assertThrows(ConfigException.class, () -> replace(KernelFamily.EXACT, packed, plain)).getMessage();
        assertEquals("a device would hold the matrix model.layers.0.self_attn.q_proj.weight of the new weights as BF16, " +
            "but it holds that of the first weights as BF16 packed as FP8 in blocks of 128 x 128; give a checkpoint with " +
            "the number formats and the block sizes of the first weights.", refused);
        final ModelWeights other = inOtherBlocks();
        final String blocks =
            assertThrows(ConfigException.class, () -> replace(KernelFamily.EXACT, packed, other)).getMessage();
        assertTrue(blocks.contains("in blocks of 96 x 96, but ") && blocks.contains("in blocks of 128 x 128;"), blocks);
    }

    /** A device holds all weights of the fast kernels in bf16. */
    @Test
    void shouldReplaceWeightsInAnyLayoutForTheFastKernels() throws IOException
    {
        final ModelWeights packed = open("qwen3moe-hub-fp8").weights();
        final ModelWeights plain = GeneratedModel.weights(packed.plan(), 1);
        replace(KernelFamily.FAST, plain, packed);
        replace(KernelFamily.FAST, packed, plain);
        replace(KernelFamily.FAST, packed, inOtherBlocks());
    }

    @Test
    void shouldSayThatTheFileBecameShorterAndKeepNothing() throws IOException
    {
        final Checkpoint checkpoint = open();
        try (FileChannel file = FileChannel.open(model.resolve(TENSORS), StandardOpenOption.WRITE))
        {
            file.truncate(4096);
        }
        final CudaBackend backend = backend(checkpoint, List.of(0));

        final String message =
            assertThrows(ConfigException.class, () -> backend.start(1, null, new RankReports())).getMessage();

        assertTrue(message.startsWith("a file of the checkpoint has become shorter"), message);
        assertEquals(1, message.lines().count());
    }

    /** The rest of the last page reads as zeros, and no access fails. */
    @Test
    void shouldSayThatTheFileLostItsLastBytesAndKeepNothing() throws IOException
    {
        final Checkpoint checkpoint = open();
        try (FileChannel file = FileChannel.open(model.resolve(TENSORS), StandardOpenOption.WRITE))
        {
            file.truncate(file.size() - 100);
        }
        final CudaBackend backend = backend(checkpoint, List.of(0));

        final String message =
            assertThrows(ConfigException.class, () -> backend.start(1, null, new RankReports())).getMessage();

        assertTrue(message.endsWith(TENSORS + " has changed since it was opened; leave it alone and start again."), message);
        assertEquals(0, EmulatedDriver.count(Count.DEVICE_ALLOCATIONS));
    }
}
