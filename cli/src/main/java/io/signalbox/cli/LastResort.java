// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import java.io.IOException;

/**
 * Ends a process with a thread inside a hanging driver: kills its children, and the process itself if it still exists
 * after some seconds, since even a halt runs the exit handlers of native libraries.
 */
final class LastResort
{
    private static final int GRACE_SECONDS = 5;

    private LastResort()
    {
    }

    /** To be called right before the process is halted. */
    static void arm()
    {
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        try
        {
            // Asked for its parent before it kills: the number of a process that has ended may belong to another by then.
            final String own = String.valueOf(ProcessHandle.current().pid());
            new ProcessBuilder("/bin/sh", "-c", "sleep " + GRACE_SECONDS + "; read -r line < /proc/$$/stat; set -- $line; " +
                "[ \"$4\" != " + own + " ] || kill -KILL " + own)
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        }
        catch (final IOException e)
        {
            // Without a shell there is no last resort; the halt comes next in any case.
            return;
        }
    }
}
