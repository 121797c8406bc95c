// SPDX-License-Identifier: Apache-2.0
package io.signalbox.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Paths behind symbolic links, of files that exist and of files that do not exist yet. */
public final class RealPath
{
    private RealPath()
    {
    }

    /** The real path of the nearest directory above that exists, and the names below it. */
    public static Path of(final Path path)
    {
        final Path absolute = path.toAbsolutePath().normalize();
        Path existing = path.toAbsolutePath();
        while (existing != null && !Files.exists(existing))
        {
            existing = existing.getParent();
        }
        try
        {
            return existing == null ? absolute :
                existing.toRealPath().resolve(existing.relativize(path.toAbsolutePath())).normalize();
        }
        catch (final IOException e)
        {
            // It was removed meanwhile.
            return absolute;
        }
    }

    /** Whether one is the other, or below it. */
    public static boolean overlap(final Path one, final Path other)
    {
        final Path left = of(one);
        final Path right = of(other);
        return left.startsWith(right) || right.startsWith(left);
    }
}
