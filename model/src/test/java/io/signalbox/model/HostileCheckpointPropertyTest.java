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

    private static Path directory;
    private static DecoderPlan plan;
    private static String header;
    private static byte[] data;
    private static byte[] whole;

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
        directory = Files.createTempDirectory("hostile-checkpoint");
        plan = SmallPlans.of(WeightType.BF16, false);
        final WrittenCheckpoint written = new WrittenCheckpoint(directory, plan, 3);
        written.writeConfig(plan);
        written.writeSingle();
        header = WrittenCheckpoint.header(written.tensors);
        whole = Files.readAllBytes(directory.resolve("model.safetensors"));
        data = new byte[written.tensors.values().stream().mapToInt(tensor -> tensor.bytes().length).sum()];
    }

    @AfterContainer
    static void delete() throws IOException
    {
        try (Stream<Path> files = Files.walk(directory))
        {
            for (final Path file : files.sorted(Comparator.reverseOrder()).toList())
            {
                Files.delete(file);
            }
        }
    }

    @Property
    void shouldSurviveChangedNumbersOfTheHeader(@ForAll("replacements") final List<Replacement> replacements)
        throws IOException
    {
        openWith("model.safetensors", WrittenCheckpoint.file(replaced(header, replacements), data), whole);
    }

    @Property
    void shouldSurviveChangedNumbersOfTheConfiguration(@ForAll("replacements") final List<Replacement> replacements)
        throws IOException
    {
        final String config = WrittenCheckpoint.config(plan);
        openWith("config.json", replaced(config, replacements).getBytes(StandardCharsets.UTF_8),
            config.getBytes(StandardCharsets.UTF_8));
    }

    @Property
    void shouldSurviveChangedBytes(@ForAll("changes") final List<Change> changes) throws IOException
    {
        final byte[] bytes = whole.clone();
        changes.forEach(change -> bytes[change.place() % (header.length() + Long.BYTES)] = change.with());
        openWith("model.safetensors", bytes, whole);
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

    private static void openWith(final String name, final byte[] bytes, final byte[] original) throws IOException
    {
        Files.write(directory.resolve(name), bytes);
        final long before = THREADS.getCurrentThreadAllocatedBytes();
        try
        {
            Checkpoint.open(directory);
        }
        catch (final ModelException e)
        {
            assertTrue(e.getMessage().contains(directory.toString()), e.getMessage());
        }
        finally
        {
            Files.write(directory.resolve(name), original);
        }
        final long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        assertTrue(allocated < MOST_BYTES, allocated + " bytes were allocated");
    }
}
