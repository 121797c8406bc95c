// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.segment.ByteSource;
import io.signalbox.journal.segment.ChannelSource;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.ScanEnd;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Files that change while recovery keeps their end aside. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SetAsideTest
{
    private static final int KEPT = 300;

    @TempDir
    Path directory;

    @Test
    void shouldCopyTheRange() throws IOException
    {
        copy(KEPT, 100, 300);

        assertEquals(200, Files.size(directory.resolve("cut")));
        assertArrayEquals(new byte[] {100, 101}, Arrays.copyOf(Files.readAllBytes(directory.resolve("cut")), 2));
    }

    @Test
    void shouldEndWhenTheFileBecameShorter()
    {
        for (final int left : new int[] {0, 50, 100, 200})
        {
            final String message = assertThrows(IOException.class, () -> copy(left, 100, 300)).getMessage();

            assertTrue(message.contains("became shorter"), message);
        }
    }

    @Test
    void shouldNameTheSegmentWhoseFileIsGone() throws IOException
    {
        Runs.write(directory.resolve("journal"), 3, Runs.options(Durability.PROCESS));
        final DirectoryFiles files = DirectoryFiles.of(directory.resolve("journal"));
        final ScanEnd end = Scans.read(files);
        Files.delete(files.dataFile(0));

        final JournalException refusal =
            assertThrows(JournalException.class, () -> new SetAside(directory.resolve("journal"), files).tornTail(end));

        assertTrue(refusal.getMessage().contains("segment-00000 lost its file of records"), refusal.getMessage());
    }

    /** @param left length of the file when it is copied. */
    private void copy(final int left, final int from, final int to) throws IOException
    {
        final byte[] bytes = new byte[300];
        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] = (byte)i;
        }
        final Path file = Files.write(directory.resolve("records"), bytes);
        try (ByteSource source = ChannelSource.open(file, position -> { });
            FileChannel shrinking = FileChannel.open(file, StandardOpenOption.WRITE);
            FileChannel target = FileChannel.open(
                directory.resolve("cut"), StandardOpenOption.CREATE, StandardOpenOption.WRITE))
        {
            if (left != KEPT)
            {
                shrinking.truncate(left);
            }
            SetAside.copy(source, from, to, target);
        }
    }
}
