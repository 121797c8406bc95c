// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import io.signalbox.cli.CommandEntry;

import java.io.OutputStream;

/** The command that a worker process runs for each case. Implementations have a constructor without parameters. */
public interface CommandUnderTest
{
    int run(OutputStream out, OutputStream err, String... arguments);

    /** The command line itself. */
    final class Signalbox implements CommandUnderTest
    {
        @Override
        public int run(final OutputStream out, final OutputStream err, final String... arguments)
        {
            return CommandEntry.run(out, err, arguments);
        }
    }
}
