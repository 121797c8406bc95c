// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.options.AskedMoment;
import io.signalbox.cli.options.RankOption;
import io.signalbox.inspect.MomentQuery;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.List;

/** Lists the requests, ranks or KV blocks of a run at one moment. */
@Command(
    name = "moment",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "List who ran and who waited at a moment of a run.",
    customSynopsis = "signalbox inspect moment JOURNAL MOMENT [OPTIONS]",
    description = {"%nAnswers for the state of the run at a time, or after the group of a record. Snapshots make the " +
        "answer quick."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect moment runs/0001 61.5        who ran and who waited, by rank",
        "  signalbox inspect moment runs/0001 61.5 --show ranks",
        "  signalbox inspect moment runs/0001 record:4711 --show blocks --rank 3",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
final class InspectMoment extends InspectTable
{
    private static final List<String> VIEWS = List.of("requests", "ranks", "blocks");

    @Parameters(index = "1", paramLabel = "MOMENT", converter = AskedMoment.Converter.class,
        description = "Logical seconds, a time of day of an engine's journal in UTC such as 10:04, or record:N for the " +
            "state after the group of record N.")
    private AskedMoment moment;

    @Option(names = "--show", paramLabel = "ROWS", completionCandidates = Views.class,
        description = "List requests, ranks or blocks (default: requests).")
    private String show = "requests";

    @Mixin
    private final RankOption rank = new RankOption();

    InspectMoment(final Console console)
    {
        super(console);
    }

    @Override
    void answer()
    {
        final MomentQuery query = new MomentQuery(view(), rank.rank(), moment.in(journal()));
        print(query);
    }

    private MomentQuery.View view()
    {
        if (!VIEWS.contains(show))
        {
            throw new ConfigException("--show='" + show + "' is not known; give requests, ranks or blocks.");
        }
        return MomentQuery.View.values()[VIEWS.indexOf(show)];
    }

    static final class Views extends Candidates
    {
        Views()
        {
            super(VIEWS);
        }
    }
}
