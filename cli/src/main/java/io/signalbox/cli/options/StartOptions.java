// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.whatif.Beginning;
import picocli.CommandLine.Option;

import java.nio.file.Path;

/** The time of a recorded run at which its re-runs begin. */
public final class StartOptions
{
    @Option(names = "--at", paramLabel = "TIME", converter = JournalTime.Converter.class,
        description = "Begin at this time of the journal, logical seconds or, of an engine, a time of day in UTC such as " +
            "10:04, with what ranks had cached then; requests that had begun start over.")
    private JournalTime at;

    @Option(names = "--cold", description = "With --at: begin with empty caches.")
    private boolean cold;

    public Beginning beginning(final Path journal)
    {
        if (at == null && cold)
        {
            throw new ConfigException(
                "--cold is for --at, because a whole run begins with empty caches; leave it out.");
        }
        return at == null ? Beginning.OF_RUN :
            new Beginning(at.nanos("--at", journal, false), !cold);
    }
}
