// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.options.FollowOption;
import io.signalbox.cli.options.RankOption;
import io.signalbox.cli.options.WindowOptions;
import io.signalbox.inspect.PlacementQuery;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.List;

/** Lists the placements of requests on ranks, or the candidates of each. */
@Command(
    name = "placements",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "List the placements of requests, or every candidate with its score.",
    customSynopsis = "signalbox inspect placements JOURNAL [OPTIONS]",
    description = {"%nLists the router's decisions in their order; the filters can be combined. The terms of a candidate " +
        "add up to its score; the lowest score wins."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect placements runs/0001 --where 'mostMatched>2000 and matchedTokens=0'",
        "  signalbox inspect placements runs/0001 --request 812 --show candidates",
        "  signalbox inspect placements runs/0001 --show candidates --parquet candidates.parquet",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
final class InspectPlacements extends InspectTable
{
    private static final String CANDIDATES = "candidates";
    private static final List<String> VIEWS = List.of("placements", CANDIDATES);

    @Option(names = "--show", paramLabel = "ROWS", completionCandidates = PlacementViews.class,
        description = "List placements or candidates (default: placements).")
    private String show = VIEWS.get(0);

    @Option(names = "--request", paramLabel = "ID", description = "List placements of a request.")
    private Long requestId;

    @Mixin
    private final RankOption rank = new RankOption();

    @Mixin
    private final WindowOptions window = new WindowOptions();

    @Mixin
    private final FollowOption followOption = new FollowOption();

    InspectPlacements(final Console console)
    {
        super(console);
    }

    @Override
    void answer()
    {
        requireKnown("--show", List.of(show), VIEWS);
        print(new PlacementQuery(show.equals(CANDIDATES), requestId, rank.rank(), window.window(journal())),
            followOption.follows(), () ->
            {
                if (requestId != null)
                {
                    inspectRequest(requestId);
                }
            });
    }

    static final class PlacementViews extends Candidates
    {
        PlacementViews()
        {
            super(VIEWS);
        }
    }
}
