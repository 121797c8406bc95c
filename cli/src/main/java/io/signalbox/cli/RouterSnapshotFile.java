// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.ConfigException;
import io.signalbox.router.RouterSnapshot;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The file of a {@link RouterSnapshot}: {@code replay} writes it, {@code simulate} begins with it. */
final class RouterSnapshotFile
{
    private static final String OPTION = "--router-snapshot";

    private RouterSnapshotFile()
    {
    }

    /** @throws ConfigException when the file cannot be read, or is larger than any snapshot. */
    static byte[] read(final String file)
    {
        try (InputStream stream = Files.newInputStream(Path.of(file)))
        {
            final byte[] bytes = stream.readNBytes(RouterSnapshot.MAX_BYTES + 1);
            if (bytes.length > RouterSnapshot.MAX_BYTES)
            {
                throw new ConfigException(OPTION + "=" + file + " is larger than the " + RouterSnapshot.MAX_BYTES +
                    " bytes of the largest snapshot; give one that 'signalbox replay' wrote.");
            }
            return bytes;
        }
        catch (final InvalidPathException | IOException e)
        {
            throw new ConfigException(OPTION + "=" + file + " cannot be read (" + reason(e) + "); give a file that " +
                "'signalbox replay' wrote.");
        }
    }

    /** @throws ConfigException when there is such a file; said before a long replay, and not after it. */
    static void requireNew(final Path file)
    {
        if (file.toString().isEmpty() || Files.exists(file))
        {
            throw new ConfigException(OPTION + "=" + file + (file.toString().isEmpty() ? " is empty" : " is there already") +
                "; give the name of a new file.");
        }
    }

    /** @throws ConfigException when the file cannot be written. */
    static void write(final Path file, final byte[] snapshot)
    {
        try
        {
            Files.write(file, snapshot, StandardOpenOption.CREATE_NEW);
        }
        catch (final IOException e)
        {
            throw new ConfigException(OPTION + "=" + file + " cannot be written (" + reason(e) + "); give the name of a " +
                "new file in a directory that can be written.");
        }
    }

    private static String reason(final Exception fault)
    {
        return fault instanceof IOException io ? FileFault.reason(io) : "it is no path";
    }
}
