// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.options.FollowOption;
import io.signalbox.cli.options.IntervalOption;
import io.signalbox.cli.options.WindowOptions;
import io.signalbox.inspect.RankQuery;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Lists the figures of a rank over time. */
@Command(
    name = "rank",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "List the figures of a rank over time.",
    customSynopsis = "signalbox inspect rank JOURNAL RANK [OPTIONS]",
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect rank runs/0001 3",
        "  signalbox inspect rank runs/0001 3 --every 2 --from 4 --to 12",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
final class InspectRank extends InspectTable
{
    @Parameters(index = "1", paramLabel = "RANK", description = "The rank.")
    private int rank;

    @Mixin
    private final IntervalOption every = new IntervalOption();

    @Mixin
    private final WindowOptions window = new WindowOptions();

    @Mixin
    private final FollowOption followOption = new FollowOption();

    InspectRank(final Console console)
    {
        super(console);
    }

    @Override
    void answer()
    {
        print(new RankQuery(whole("RANK", rank), every.nanos(), window.window(journal())), followOption.follows());
    }
}
