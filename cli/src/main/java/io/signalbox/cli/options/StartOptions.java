// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.whatif.Beginning;
import picocli.CommandLine.Option;

/** The time of a recorded run at which its re-runs begin. */
public final class StartOptions
{
    @Option(names = "--from", paramLabel = "SECONDS",
        description = "Begin at this logical time of the journal, with what ranks had cached then; requests that had " +
            "begun start over.")
    private Double fromSeconds;

    @Option(names = "--cold", description = "With --from: begin with empty caches.")
    private boolean cold;

    public Beginning beginning()
    {
        if (fromSeconds == null && cold)
        {
            throw new ConfigException(
                "--cold is for --from, because a whole run begins with empty caches; leave it out.");
        }
        return fromSeconds == null ? Beginning.OF_RUN :
            new Beginning(WindowOptions.nanos("--from", fromSeconds), !cold);
    }
}
