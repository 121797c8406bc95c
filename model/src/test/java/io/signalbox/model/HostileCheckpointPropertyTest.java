// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import com.sun.management.ThreadMXBean;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** A changed checkpoint is read or refused by a {@link ModelException}; it never costs much memory. */
class HostileCheckpointPropertyTest
{
    private static final long MOST_BYTES = 16L << 20;
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    /** A buffer for any matrix of a checkpoint that opens. */
    private static final float[] WEIGHTS = new float[1 << 10];
    private static final Pattern NUMBER = Pattern.compile("(?<![\\w.\"])\\d+");
    private static final List<String> EXTREMES = List.of("0", "1", "-1", "2147483647", "2147483648", "9223372036854775807",
        "18446744073709551615", "1e308", "1e999", "0.5", "null", "true", "\"x\"", "[]", "{}", "");

    /** A checkpoint as it was written: of bf16, of bf16 with some FP8, of float16, or a gpt-oss. */
    private record Original(Path directory, String config, String header, byte[] whole)
    {
    }

    private static final List<Original> ORIGINALS = new ArrayList<>();
    private static Path root;

    /** Numbers of a text that become something else. */
    record Replacement(int place, String with)
    {
    }

    /** Bytes that become something else. */
    record Change(int place, byte with)
    {
    }

    @BeforeContainer
    static void write() throws IOException
    {
        root = Files.createTempDirectory("hostile-checkpoint");
        for (final String form : List.of("bf16", "fp8", "float16", "gptoss"))
        {
            final DecoderPlan plan = form.equals("gptoss") ? SmallPlans.gptOss(WeightType.BF16, false) :
                SmallPlans.of(WeightType.BF16, false);
            final Path directory = Files.createDirectory(root.resolve(form));
            final WrittenCheckpoint written = new WrittenCheckpoint(directory, plan, 3);
            written.writeConfig(plan);
            if (form.equals("fp8"))
            {
                final Fp8Tensors packed = new Fp8Tensors(3, 4, 3);
                Fp8Tensors.names(written).forEach(name -> packed.pack(written, name));
                written.writeFp8Config(plan, 4, 3);
            }
            if (form.equals("float16"))
            {
                written.tensors.replaceAll((name, tensor) ->
                    new WrittenCheckpoint.Tensor("F16", tensor.shape(), tensor.bytes()));
                Files.writeString(directory.resolve("config.json"),
                    WrittenCheckpoint.config(plan).replace("bfloat16", "float16"));
            }
            written.writeSingle();
            ORIGINALS.add(new Original(directory, Files.readString(directory.resolve("config.json")),
                WrittenCheckpoint.header(written.tensors), Files.readAllBytes(directory.resolve("model.safetensors"))));
        }
    }

    @AfterContainer
    static void delete() throws IOException
    {
        try (Stream<Path> files = Files.walk(root))
        {
            for (final Path file : files.sorted(Comparator.reverseOrder()).toList())
            {
                Files.delete(file);
            }
        }
    }

    @Property
    void shouldSurviveChangedNumbersOfTheHeader(
        @ForAll("originals") final Original original, @ForAll("replacements") final List<Replacement> replacements)
        throws IOException
    {
        final int begin = (int)ByteBuffer.wrap(original.whole).order(ByteOrder.LITTLE_ENDIAN).getLong() + Long.BYTES;
        openWith(original, "model.safetensors", WrittenCheckpoint.file(replaced(original.header, replacements),
            Arrays.copyOfRange(original.whole, begin, original.whole.length)));
    }

    @Property
    void shouldSurviveChangedNumbersOfTheConfiguration(
        @ForAll("originals") final Original original, @ForAll("replacements") final List<Replacement> replacements)
        throws IOException
    {
        openWith(original, "config.json", replaced(original.config, replacements).getBytes(StandardCharsets.UTF_8));
    }

    @Property
    void shouldSurviveChangedBytes(
        @ForAll("originals") final Original original, @ForAll("changes") final List<Change> changes) throws IOException
    {
        final byte[] bytes = original.whole.clone();
        changes.forEach(change -> bytes[change.place() % (original.header.length() + Long.BYTES)] = change.with());
        openWith(original, "model.safetensors", bytes);
    }

    /** Replaces weights and scales after the header, also by NaN. */
    @Property
    void shouldSurviveChangedWeights(
        @ForAll("originals") final Original original, @ForAll("changes") final List<Change> changes) throws IOException
    {
        final byte[] bytes = original.whole.clone();
        final int begin = (int)ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong() + Long.BYTES;
        changes.forEach(change -> bytes[begin + change.place() % (bytes.length - begin)] = change.with());
        openWith(original, "model.safetensors", bytes);
    }

    @Provide
    Arbitrary<Original> originals()
    {
        return Arbitraries.integers().between(0, ORIGINALS.size() - 1).map(ORIGINALS::get);
    }

    @Provide
    Arbitrary<List<Replacement>> replacements()
    {
        return Combinators.combine(Arbitraries.integers().between(0, 1 << 20), Arbitraries.of(EXTREMES))
            .as(Replacement::new).list().ofMinSize(1).ofMaxSize(3);
    }

    @Provide
    Arbitrary<List<Change>> changes()
    {
        return Combinators.combine(Arbitraries.integers().between(0, 1 << 20), Arbitraries.bytes())
            .as(Change::new).list().ofMinSize(1).ofMaxSize(4);
    }

    private static String replaced(final String text, final List<Replacement> replacements)
    {
        String changed = text;
        for (final Replacement replacement : replacements)
        {
            final int numbers = (int)NUMBER.matcher(changed).results().count();
            final Matcher matcher = NUMBER.matcher(changed);
            for (int i = 0; i <= replacement.place() % Math.max(1, numbers); i++)
            {
                matcher.find();
            }
            changed = numbers == 0 ? changed :
                changed.substring(0, matcher.start()) + replacement.with() + changed.substring(matcher.end());
        }
        return changed;
    }

    /** Weights are read, too, because they are checked when they are loaded. */
    private static void openWith(final Original original, final String name, final byte[] bytes) throws IOException
    {
        final Path file = original.directory.resolve(name);
        final byte[] before = Files.readAllBytes(file);
        Files.write(file, bytes);
        final long allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
        try
        {
            Checkpoint.open(original.directory).weights().matrices().forEach(matrix -> matrix.copyTo(WEIGHTS));
        }
        catch (final ModelException e)
        {
            assertTrue(e.getMessage().contains(original.directory.toString()) ||
                e.getMessage().startsWith("the tensor "), e.getMessage());
        }
        finally
        {
            Files.write(file, before);
        }
        final long allocated = THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore;
        assertTrue(allocated < MOST_BYTES, allocated + " bytes were allocated");
    }
}
