// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.options.FollowOption;
import io.signalbox.cli.options.RankOption;
import io.signalbox.cli.options.WindowOptions;
import io.signalbox.inspect.RequestFilter;
import io.signalbox.inspect.RequestQuery;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.List;

/** Lists the requests of a run. */
@Command(
    name = "requests",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "List the requests of a run.",
    customSynopsis = "signalbox inspect requests JOURNAL [OPTIONS]",
    description = {"%nLists requests in the order in which they ended; the filters can be combined."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect requests runs/0001 --slowest 10",
        "  signalbox inspect requests runs/0001 --rank 3 --from 60 --to 120",
        "  signalbox inspect requests runs/0001 --where 'tenant=acme and ttft>1s' --columns request,ttft,rank",
        "  signalbox inspect requests runs/0001 --csv > requests.csv",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
final class InspectRequests extends InspectTable
{
    private static final List<String> ENDS =
        List.of("length", "stop", "cancelled", "deadline", "failed", "new-weights", "refused", "unfinished");
    private static final int MOST_SLOWEST = 1_000_000;

    @Option(names = "--slowest", paramLabel = "N", description = "List the N requests that took longest.")
    private Integer slowest;

    @Option(names = "--preempted", description = "List requests that were preempted.")
    private boolean preempted;

    @Option(names = "--end", paramLabel = "END", completionCandidates = Ends.class,
        description = "List requests that ended so: length, stop, cancelled, deadline, failed, new-weights, refused or " +
            "unfinished.")
    private String end;

    @Option(names = "--of-conversation", paramLabel = "ID", description = "List requests of a conversation.")
    private Long conversation;

    @Mixin
    private final RankOption rank = new RankOption();

    @Mixin
    private final WindowOptions window = new WindowOptions();

    @Mixin
    private final FollowOption followOption = new FollowOption();

    InspectRequests(final Console console)
    {
        super(console);
    }

    @Override
    void answer()
    {
        requireKnown("--end", end == null ? List.of() : List.of(end), ENDS);
        if (slowest != null && followOption.follows())
        {
            throw new ConfigException("--follow lists rows as they come, and the rows of --slowest are known at the end " +
                "only; leave one out, or ask again later.");
        }
        final RequestFilter filter = new RequestFilter(end, preempted, rank.rank(),
            conversation, window.window(journal()), slowest());
        print(new RequestQuery(filter), followOption.follows());
    }

    private int slowest()
    {
        if (slowest != null && (slowest < 1 || slowest > MOST_SLOWEST))
        {
            throw new ConfigException("--slowest=" + slowest + " is not between 1 and " + MOST_SLOWEST + ".");
        }
        return slowest == null ? 0 : slowest;
    }

    static final class Ends extends Candidates
    {
        Ends()
        {
            super(ENDS);
        }
    }
}
