// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The number of files that this process may open. The launcher checks it as well, before a JVM starts. */
final class OpenFiles
{
    /** The limits of this process in Linux. */
    static final Path LIMITS = Path.of("/proc/self/limits");
    private static final int LEAST = 96;
    private static final Pattern LIMIT = Pattern.compile("Max open files +(\\d+) .*");

    private OpenFiles()
    {
    }

    /** A sentence that says why the number is too small; {@code null} if it is large enough, or unknown. */
    static String shortage(final Path limits)
    {
        if (!Files.exists(limits))
        {
            return null;
        }
        try
        {
            for (final String line : Files.readAllLines(limits))
            {
                final Matcher limit = LIMIT.matcher(line);
                if (limit.matches() && Long.parseLong(limit.group(1)) < LEAST)
                {
                    return sentence(limit.group(1) + " files");
                }
            }
            return null;
        }
        catch (final IOException e)
        {
            // The file exists and everyone may read it.
            return sentence("no further file");
        }
    }

    private static String sentence(final String files)
    {
        return "this process may open " + files + " (ulimit -n), and Signalbox needs " + LEAST + "; raise the limit.";
    }
}
