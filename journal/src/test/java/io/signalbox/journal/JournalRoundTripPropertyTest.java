// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.backend.CaptureSlice;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

final class JournalRoundTripPropertyTest
{
    /** One thing to journal: a note, or a completion with rows. */
    record Entry(int textBytes, int rowCount, int rowBytes, int seed)
    {
        UnsafeBuffer group(final int number)
        {
            return rowCount == 0 ? Runs.note(number, textBytes) : Runs.completion(number, rowCount, rowBytes);
        }

        CaptureSlice rows()
        {
            if (rowCount == 0)
            {
                return null;
            }
            final byte[] bytes = new byte[rowCount * rowBytes];
            new Random(seed).nextBytes(bytes);
            return new Runs.Slice(new UnsafeBuffer(bytes), 0, rowCount, rowBytes);
        }
    }

    @Provide
    Arbitrary<List<Entry>> entries()
    {
        final Arbitrary<Entry> notes = Arbitraries.integers().between(0, 3_000).map(size -> new Entry(size, 0, 0, 0));
        final Arbitrary<Entry> completions = Combinators.combine(
            Arbitraries.integers().between(1, 300), Arbitraries.integers().between(1, 900), Arbitraries.integers())
            .as((count, size, seed) -> new Entry(0, count, size, seed));
        return Arbitraries.frequencyOf(Tuple.of(4, notes), Tuple.of(1, completions))
            .list().ofMaxSize(60);
    }

    /** 40 tries: each writes a real Chronicle Queue. */
    @Property(tries = 40)
    void shouldReadBackEveryGroupWithItsRows(@ForAll("entries") final List<Entry> entries) throws IOException
    {
        final Path directory = Files.createTempDirectory("journal");
        try
        {
            final String digest = write(directory.resolve("journal"), entries);
            read(directory.resolve("journal"), entries, digest);
        }
        finally
        {
            delete(directory);
        }
    }

    private static String write(final Path journal, final List<Entry> entries)
    {
        try (JournalWriter writer =
            JournalWriter.create(journal, Runs.settings(), Runs.smallSegments(Durability.PROCESS)))
        {
            for (int i = 0; i < entries.size(); i++)
            {
                final UnsafeBuffer group = entries.get(i).group(i);
                writer.append(i * 10L, group, 0, group.capacity(), entries.get(i).rows());
                writer.endOfBatch();
            }
            return writer.digest();
        }
    }

    private static void read(final Path journal, final List<Entry> entries, final String digest)
    {
        try (JournalReader reader = JournalReader.open(journal))
        {
            assertEquals(Runs.settings(), reader.settings());
            for (int i = 0; i < entries.size(); i++)
            {
                assertTrue(reader.next());
                assertEquals(entries.get(i).group(i), reader.group());
                assertEquals(i * 10L, reader.timeNanos());
                checkRows(entries.get(i).rows(), reader);
            }
            assertFalse(reader.next());
            assertEquals(Ending.CLOSED, reader.ending());
            assertEquals(digest, reader.digest());
        }
    }

    private static void checkRows(final CaptureSlice expected, final JournalReader reader)
    {
        if (expected == null)
        {
            assertNull(reader.rows());
        }
        else
        {
            assertEquals(expected.buffer(), reader.rows());
        }
    }

    private static void delete(final Path directory)
    {
        try (Stream<Path> paths = Files.walk(directory))
        {
            paths.sorted(Comparator.reverseOrder()).forEach(path -> assertTrue(path.toFile().delete()));
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
