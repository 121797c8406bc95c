// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.inspect.MomentQuery;
import io.signalbox.journal.JournalMoment;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Locale;

/** The question of {@code inspect} about one moment of a run. */
public final class MomentOptions
{
    private static final String MOMENT = "--moment";
    private static final String AT = "--at";

    @Option(names = MOMENT, paramLabel = "TIME", converter = JournalTime.Converter.class,
        description = "List who ran and who waited at this time, given as that of --from; snapshots make it quick.")
    private JournalTime time;

    @Option(names = AT, paramLabel = "RECORD", description = "Answer for the state after the group of this record.")
    private Long record;

    @Option(names = "--show", paramLabel = "ROWS",
        description = "With --moment or --at: list requests, ranks or blocks (default: requests).")
    private String show;

    /** The name of the option that asks for a moment; {@code null} if none does. */
    public String asked()
    {
        if (time != null && record != null)
        {
            throw new ConfigException("--moment and --at ask two questions; leave one out.");
        }
        final String asked = time != null ? MOMENT : record != null ? AT : null;
        if (asked == null && show != null)
        {
            throw new ConfigException("--show is for --moment and --at, none of which is given; leave it out.");
        }
        return asked;
    }

    /** The name of the answer's JSON document. */
    public String schema()
    {
        return switch (view())
        {
            case REQUESTS -> "signalbox.inspect-moment/1";
            case RANKS -> "signalbox.inspect-moment-ranks/1";
            case BLOCKS -> "signalbox.inspect-moment-blocks/1";
        };
    }

    /** @param rank -1: all. */
    public MomentQuery query(final int rank, final Path journal)
    {
        if (record != null && record < 0)
        {
            throw new ConfigException("--at=" + record + " is negative; give the number of a record.");
        }
        return new MomentQuery(view(), rank, record != null ? JournalMoment.atRecord(record) :
            JournalMoment.atTime(time.nanos(MOMENT, journal, false)));
    }

    private MomentQuery.View view()
    {
        for (final MomentQuery.View view : MomentQuery.View.values())
        {
            if (show == null || view.name().toLowerCase(Locale.ROOT).equals(show))
            {
                return view;
            }
        }
        throw new ConfigException("--show='" + show + "' is not known; give requests, ranks or blocks.");
    }
}
