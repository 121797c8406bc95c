// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.segment.JournalBeginning;
import io.signalbox.journal.segment.JournalPosition;
import io.signalbox.journal.segment.SegmentStart;
import io.signalbox.journal.segment.SegmentSums;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The file that says where a journal begins keeps the version of the newest weights, and the older form is read. */
class JournalBeginningTest
{
    private static final int VERSION_LENGTH_AT = 112;

    @TempDir
    private Path directory;

    private static JournalBeginning beginning(final String weightVersion)
    {
        return new JournalBeginning(new SegmentStart(1, new JournalPosition(100, 99, 7, 10_000), 100, true), 1, 9, 1, 3,
            weightVersion, List.of(new EarlierRequest(1, 2, 3, 4)), Map.of("ranks", "2"));
    }

    @Test
    void shouldKeepTheVersionOfTheWeights() throws IOException
    {
        beginning("policy-3@sha256:äé").write(directory);
        assertEquals(beginning("policy-3@sha256:äé"), JournalBeginning.of(directory));
    }

    @Test
    void shouldReadFormatOneWithoutAVersion() throws IOException
    {
        beginning("").write(directory);
        final byte[] written = Files.readAllBytes(directory.resolve(JournalBeginning.FILE));
        final ByteBuffer older = ByteBuffer.allocate(written.length - Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        older.put(written, 0, VERSION_LENGTH_AT)
            .put(written, VERSION_LENGTH_AT + Long.BYTES, written.length - VERSION_LENGTH_AT - Long.BYTES - Integer.BYTES)
            .putInt(Integer.BYTES, 1);
        older.putInt(SegmentSums.crc(older.array(), older.position()));
        Files.write(directory.resolve(JournalBeginning.FILE), older.array());
        Files.write(directory.resolve(JournalBeginning.COPY), older.array());
        assertEquals(beginning(""), JournalBeginning.of(directory));
    }
}
