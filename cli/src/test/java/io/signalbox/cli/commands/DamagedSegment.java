// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Damages a segment of a journal. */
final class DamagedSegment
{
    private static final int ENVELOPE_BYTES = 64;

    private DamagedSegment()
    {
    }

    /** Flips a bit in the payload of a record. */
    static void flipInRecord(final Path journal, final int record) throws IOException
    {
        final Path segment = segment(journal);
        final byte[] bytes = Files.readAllBytes(segment);
        int found = -1;
        for (int at = 0; found < record; at++)
        {
            if (bytes[at] == 'S' && bytes[at + 1] == 'J' && bytes[at + 2] == 'L' && bytes[at + 3] == '1' &&
                ++found == record)
            {
                bytes[at + ENVELOPE_BYTES + 9] ^= 1;
            }
        }
        Files.write(segment, bytes);
    }

    private static Path segment(final Path journal) throws IOException
    {
        try (Stream<Path> files = Files.walk(journal))
        {
            return files.filter(file -> file.toString().endsWith(".cq4")).findFirst().orElseThrow();
        }
    }

    /** Flips a bit in the middle of the used part of a segment, which is in a record. */
    static void flipABit(final Path journal) throws IOException
    {
        final Path segment = segment(journal);
        final byte[] bytes = Files.readAllBytes(segment);
        int end = bytes.length;
        while (bytes[end - 1] == 0)
        {
            end--;
        }
        bytes[end / 2] ^= 1;
        Files.write(segment, bytes);
    }
}
