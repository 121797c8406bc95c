// SPDX-License-Identifier: Apache-2.0
package io.signalbox.files;

import java.nio.file.Files;
import java.nio.file.Path;

/** Facts about an input file before it is opened: opening a pipe without a writer waits indefinitely. */
public final class InputFile
{
    private InputFile()
    {
    }

    /** @return why the file cannot be read, as a clause without subject; null if it is a regular file. */
    public static String fault(final Path file)
    {
        if (Files.isDirectory(file))
        {
            return "is a directory";
        }
        if (Files.isRegularFile(file))
        {
            return Files.isReadable(file) ? null : "may not be read: permission is denied";
        }
        if (Files.exists(file))
        {
            return "is a pipe, a socket or a device, and not a regular file";
        }
        return Files.isSymbolicLink(file) ? "is a symbolic link to a file that is not there" : "is not there";
    }
}
