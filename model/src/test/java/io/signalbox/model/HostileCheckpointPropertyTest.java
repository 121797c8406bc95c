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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
    private static final Pattern NUMBER = Pattern.compile("(?<![\\w.\"])\\d+");
    private static final List<String> EXTREMES = List.of("0", "1", "-1", "2147483647", "2147483648", "9223372036854775807",
        "18446744073709551615", "1e308", "1e999", "0.5", "null", "true", "\"x\"", "[]", "{}", "");

    /** A checkpoint of one family, unchanged. */
    private record Original(Path directory, String config, String header, byte[] data, byte[] whole)
    {
        private static Original of(final Path directory, final DecoderPlan plan) throws IOException
        {
            final WrittenCheckpoint written = new WrittenCheckpoint(directory, plan, 3);
            written.writeConfig(plan);
            written.writeSingle();
            return new Original(directory, WrittenCheckpoint.config(plan), WrittenCheckpoint.header(written.tensors),
                new byte[written.tensors.values().stream().mapToInt(tensor -> tensor.bytes().length).sum()],
                Files.readAllBytes(directory.resolve("model.safetensors")));
        }
    }

    private static Path scratch;
    private static Original[] originals;

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
        scratch = Files.createTempDirectory("hostile-checkpoint");
        originals = new Original[] {
            Original.of(Files.createDirectory(scratch.resolve("qwen3moe")), SmallPlans.of(WeightType.BF16, false)),
            Original.of(Files.createDirectory(scratch.resolve("gptoss")), SmallPlans.gptOss(WeightType.BF16, false))};
    }

    @AfterContainer
    static void delete() throws IOException
    {
        try (Stream<Path> files = Files.walk(scratch))
        {
            for (final Path file : files.sorted(Comparator.reverseOrder()).toList())
            {
                Files.delete(file);
            }
        }
    }

    @Property
    void shouldSurviveChangedNumbersOfTheHeader(
        @ForAll final boolean gptOss, @ForAll("replacements") final List<Replacement> replacements) throws IOException
    {
        final Original original = originals[gptOss ? 1 : 0];
        openWith(original.directory.resolve("model.safetensors"),
            WrittenCheckpoint.file(replaced(original.header, replacements), original.data), original.whole);
    }

    @Property
    void shouldSurviveChangedNumbersOfTheConfiguration(
        @ForAll final boolean gptOss, @ForAll("replacements") final List<Replacement> replacements) throws IOException
    {
        final Original original = originals[gptOss ? 1 : 0];
        openWith(original.directory.resolve("config.json"),
            replaced(original.config, replacements).getBytes(StandardCharsets.UTF_8),
            original.config.getBytes(StandardCharsets.UTF_8));
    }

    @Property
    void shouldSurviveChangedBytes(@ForAll final boolean gptOss, @ForAll("changes") final List<Change> changes)
        throws IOException
    {
        final Original original = originals[gptOss ? 1 : 0];
        final byte[] bytes = original.whole.clone();
        changes.forEach(change -> bytes[change.place() % (original.header.length() + Long.BYTES)] = change.with());
        openWith(original.directory.resolve("model.safetensors"), bytes, original.whole);
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

    private static void openWith(final Path file, final byte[] bytes, final byte[] original) throws IOException
    {
        Files.write(file, bytes);
        final long before = THREADS.getCurrentThreadAllocatedBytes();
        try
        {
            Checkpoint.open(file.getParent());
        }
        catch (final ModelException e)
        {
            assertTrue(e.getMessage().contains(file.getParent().toString()), e.getMessage());
        }
        finally
        {
            Files.write(file, original);
        }
        final long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        assertTrue(allocated < MOST_BYTES, allocated + " bytes were allocated");
    }
}
