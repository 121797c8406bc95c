// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.disk;

import java.nio.file.Path;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Whether the disk has room for new requests, as the writer found it and as any thread finds it now. */
public final class DiskSpace
{
    private static final double BYTES_PER_MEBIBYTE = 1 << 20;

    private final Path directory;
    private final long reserveBytes;
    private final LongSupplier usableBytes;
    private volatile long lackingBytes;

    /** @param reserveBytes free space that is kept for requests that have begun; 0: no request is refused. */
    public DiskSpace(final Path directory, final long reserveBytes, final LongSupplier usableBytes)
    {
        this.directory = directory;
        this.reserveBytes = reserveBytes;
        this.usableBytes = usableBytes;
    }

    /** By the writer, behind each group: bytes that are missing to the reserve. */
    public void lacking(final long bytes)
    {
        if (bytes != lackingBytes)
        {
            lackingBytes = bytes;
        }
    }

    /** A sentence; {@code null} if the reserve is whole, or the disk has what it lacks by now. */
    public String refusal()
    {
        final long lacking = reserveBytes == 0 ? 0 : lackingBytes;
        final long usable = lacking == 0 ? 0 : usableBytes.getAsLong();
        if (usable >= lacking)
        {
            return null;
        }
        return "the disk under the journal " + directory + " has less room than its reserve of " + text(reserveBytes) +
            ", which is kept for requests that have begun (" + text(usable) + " free, " + text(lacking) +
            " of the reserve are missing); free some space, and requests are accepted again";
    }

    private static String text(final long bytes)
    {
        return String.format(Locale.ROOT, "%.1f MiB", bytes / BYTES_PER_MEBIBYTE);
    }
}
