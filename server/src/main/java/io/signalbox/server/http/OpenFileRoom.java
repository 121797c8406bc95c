// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

import com.sun.management.UnixOperatingSystemMXBean;
import io.signalbox.ConfigException;

import java.lang.management.ManagementFactory;

/** Open files of this process. Each connection is one, and the journal must be able to open its next segment. */
public final class OpenFileRoom
{
    /** Left for the journal, its upkeep, and classes that are loaded later. */
    private static final int RESERVED = 48;
    private static final int LEAST_CONNECTIONS = 16;

    private OpenFileRoom()
    {
    }

    /** @throws ConfigException if this process may not open enough files for a server. */
    public static int connections(final int most)
    {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system ?
            connections(most, system.getMaxFileDescriptorCount(), system.getOpenFileDescriptorCount()) : most;
    }

    static int connections(final int most, final long limit, final long open)
    {
        final long room = limit - open - RESERVED;
        if (room < LEAST_CONNECTIONS)
        {
            throw new ConfigException("this process may open " + limit + " files (ulimit -n), and a server needs " +
                (open + RESERVED + LEAST_CONNECTIONS) + "; raise the limit.");
        }
        return (int)Math.min(most, room);
    }
}
