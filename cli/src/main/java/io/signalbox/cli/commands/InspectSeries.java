// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.options.FollowOption;
import io.signalbox.cli.options.GoodputOption;
import io.signalbox.cli.options.IntervalOption;
import io.signalbox.cli.options.WindowOptions;
import io.signalbox.inspect.SeriesQuery;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the figures of a run and of its ranks over time. */
@Command(
    name = "series",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "List the figures of the run and of each rank over time.",
    customSynopsis = "signalbox inspect series JOURNAL [OPTIONS]",
    description = {
        "%nLists a row for the whole run and for each rank in every interval, also if nothing happened. Waiting and " +
            "running requests and KV blocks are those at the end of the interval. With --from and --to: the intervals " +
            "that overlap."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect series runs/0001 --every 10s --rank all",
        "  signalbox inspect series runs/0001 --every 1s --slo ttft=500ms,tpot=25ms --csv > series.csv",
        "  signalbox inspect series runs/0001 --every 60s --parquet series.parquet",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
final class InspectSeries extends InspectTable
{
    @Mixin
    private final IntervalOption every = new IntervalOption();

    @Option(names = "--rank", paramLabel = "RANK", description = "List the rows of a rank, or with 'all' of the whole run.")
    private String rank;

    @Mixin
    private final GoodputOption goodput = new GoodputOption();

    @Mixin
    private final WindowOptions window = new WindowOptions();

    @Mixin
    private final FollowOption followOption = new FollowOption();

    InspectSeries(final Console console)
    {
        super(console);
    }

    @Override
    void answer()
    {
        if (rank != null && !rank.equals(SeriesQuery.WHOLE) && !rank.matches("0|[1-9][0-9]{0,8}"))
        {
            throw new ConfigException("--rank='" + rank + "' is not a rank; give a number or " + SeriesQuery.WHOLE + ".");
        }
        print(new SeriesQuery(every.nanos(), window.window(journal()), goodput.level(), rank), followOption.follows());
    }
}
