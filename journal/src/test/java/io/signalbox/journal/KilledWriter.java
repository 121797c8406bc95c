// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.backend.CaptureSlice;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.PrintStream;
import java.nio.file.Path;

/** The process that the kill test kills: journals group after group and says which are acknowledged. */
final class KilledWriter
{
    private static final int ROW_BYTES = 700;

    private KilledWriter()
    {
    }

    public static void main(final String[] arguments)
    {
        final JournalConfig options =
            new JournalConfig(Durability.valueOf(arguments[1]), 1 << 20, Runs.SMALL_BLOCK);
        final PrintStream out = System.out;
        try (JournalWriter writer = JournalWriter.create(Path.of(arguments[0]), Runs.settings(), options))
        {
            for (int i = 0; i < Integer.MAX_VALUE; i++)
            {
                final UnsafeBuffer group = group(i);
                writer.append(i, group, 0, group.capacity(), rows(i));
                writer.endOfBatch();
                out.println(i);
            }
        }
    }

    /** Every fourth group brings rows of about 200 KiB, in several chunks. */
    static UnsafeBuffer group(final int number)
    {
        return number % 4 == 0 ? Runs.completion(number, 300, ROW_BYTES) : Runs.note(number, number % 500);
    }

    private static CaptureSlice rows(final int number)
    {
        return number % 4 == 0
            ? new Runs.Slice(new UnsafeBuffer(new byte[300 * ROW_BYTES]), 0, 300, ROW_BYTES)
            : null;
    }
}
