// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Damages a segment of a journal. */
final class DamagedSegment
{
    private DamagedSegment()
    {
    }

    /** Flips a bit in the middle of the used part of a segment, which is in a record. */
    static void flipABit(final Path journal) throws IOException
    {
        final Path segment;
        try (Stream<Path> files = Files.walk(journal))
        {
            segment = files.filter(file -> file.toString().endsWith(".cq4")).findFirst().orElseThrow();
        }
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
