// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.disk;

import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The longest file that this process may write: Chronicle maps its files far beyond their records. */
public final class FileSizeLimit
{
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Pattern SOFT_LIMIT = Pattern.compile("(?m)^Max file size +(\\d+|unlimited) ");

    private FileSizeLimit()
    {
    }

    /** @throws JournalException STORE_FAILED if a file may not become this long. */
    public static void require(final Path directory, final long bytes)
    {
        final long limit = soft(read());
        if (limit < bytes)
        {
            throw new JournalException(Kind.STORE_FAILED, "the journal " + directory + " cannot be written: this process " +
                "may write files of at most " + limit + " bytes (ulimit -f), and a segment's file begins with " + bytes +
                "; raise the limit.");
        }
    }

    private static String read()
    {
        try
        {
            return Files.readString(LIMITS);
        }
        catch (final IOException e)
        {
            // Other systems: the write itself fails then.
            return "";
        }
    }

    public static long soft(final String limits)
    {
        final Matcher found = SOFT_LIMIT.matcher(limits);
        return !found.find() || found.group(1).equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(found.group(1));
    }
}
