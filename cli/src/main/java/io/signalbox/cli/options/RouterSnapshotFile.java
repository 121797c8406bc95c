// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.cli.printing.FileFault;
import io.signalbox.router.RouterSnapshot;
import io.signalbox.workload.InputFile;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The file of a {@link RouterSnapshot}: {@code replay} writes it, {@code simulate} begins with it. */
public final class RouterSnapshotFile
{
    private static final String OPTION = "--router-snapshot";

    private RouterSnapshotFile()
    {
    }

    /** @throws ConfigException when no file is named, it cannot be read, or it is larger than any snapshot. */
    public static byte[] read(final String file)
    {
        if (file.isEmpty())
        {
            throw new ConfigException(OPTION + " is empty; give a file that 'signalbox replay' wrote.");
        }
        final String unusable = InputFile.fault(PathConverter.path(file));
        if (unusable != null)
        {
            throw new ConfigException(OPTION + "=" + file + " " + unusable + "; give a file that 'signalbox replay' wrote.");
        }
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
        catch (final IOException e)
        {
            throw new ConfigException(OPTION + "=" + file + " cannot be read (" + FileFault.reason(e) + "); give a file " +
                "that 'signalbox replay' wrote.");
        }
    }

    /**
     * Makes all checks that are possible before a long replay.
     *
     * @throws ConfigException if the file exists already, or cannot be created.
     */
    public static void requireNew(final Path file)
    {
        if (file.toString().isEmpty() || Files.exists(file, LinkOption.NOFOLLOW_LINKS))
        {
            throw new ConfigException(OPTION + "=" + file + (file.toString().isEmpty() ? " is empty" : " is there already") +
                "; give the name of a new file.");
        }
        final Path parent = file.toAbsolutePath().getParent();
        if (!Files.isDirectory(parent) || !Files.isWritable(parent))
        {
            throw new ConfigException(OPTION + "=" + file + " cannot be written, " + parent +
                (Files.isDirectory(parent) ? " forbids it" : " is no directory") +
                "; give the name of a new file in a directory that can be written.");
        }
    }

    /** @throws ConfigException when the file cannot be written; no part of it is left behind. */
    public static void write(final Path file, final byte[] snapshot)
    {
        boolean begun = false;
        try (OutputStream stream = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
        {
            begun = true;
            stream.write(snapshot);
        }
        catch (final IOException e)
        {
            remove(begun ? file : null);
            throw new ConfigException(OPTION + "=" + file + " cannot be written (" + FileFault.reason(e) +
                "); " + FileFault.remedy(e, "file") + ".");
        }
    }

    private static void remove(final Path begun)
    {
        try
        {
            if (begun != null)
            {
                Files.deleteIfExists(begun);
            }
        }
        catch (final IOException e)
        {
            // Report why it could not be written, not why it could not be removed.
            return;
        }
    }
}
