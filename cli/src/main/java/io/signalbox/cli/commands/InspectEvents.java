// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.options.FollowOption;
import io.signalbox.cli.options.RankOption;
import io.signalbox.cli.options.WindowOptions;
import io.signalbox.inspect.EventFilter;
import io.signalbox.inspect.EventQuery;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Set;

/** Lists the messages of a journal. */
@Command(
    name = "events",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "List messages with all fields.",
    customSynopsis = "signalbox inspect events JOURNAL [OPTIONS]",
    description = {"%nLists the messages of the journal in their order; the filters can be combined."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect events runs/0001 --message Commit,Free --follow",
        "  signalbox inspect events runs/0001 --request 812",
        "  signalbox inspect events runs/0001 --record 4711",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
final class InspectEvents extends InspectTable
{
    /** The messages of groups, by the names of the schema. */
    static final List<String> MESSAGES = List.of("Submit", "Cancel", "Control", "Wake", "Tick", "Forward",
        "D2hComplete", "BackendFault", "StepTimedOut", "BackendReset", "RouterVersion", "Accepted", "Refused", "Placed",
        "Schedule", "Commit", "Free", "Digest", "Requeued", "Withdrawn", "NewWeights", "Paused", "Continued");

    @Option(names = "--message", paramLabel = "NAME", split = ",", completionCandidates = Messages.class,
        description = "List these messages of the schema, such as Commit,Free.")
    private List<String> messages = List.of();

    @Option(names = "--request", paramLabel = "ID", description = "List messages of a request.")
    private Long requestId;

    @Mixin
    private final RankOption rank = new RankOption();

    @Option(names = "--record", paramLabel = "RECORD", description = "List the group of a record.")
    private Long record;

    @Mixin
    private final WindowOptions window = new WindowOptions();

    @Mixin
    private final FollowOption followOption = new FollowOption();

    InspectEvents(final Console console)
    {
        super(console);
    }

    @Override
    void answer()
    {
        requireKnown("--message", messages, MESSAGES);
        final EventFilter filter = new EventFilter(Set.copyOf(messages), rank.rank(),
            requestId, record, window.window(journal()));
        print(new EventQuery(filter), followOption.follows(), () ->
        {
            if (requestId != null)
            {
                inspectRequest(requestId);
            }
        });
    }

    static final class Messages extends Candidates
    {
        Messages()
        {
            super(MESSAGES);
        }
    }
}
