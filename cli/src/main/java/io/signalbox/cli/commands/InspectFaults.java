// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.options.FollowOption;
import io.signalbox.cli.options.RankOption;
import io.signalbox.cli.options.WindowOptions;
import io.signalbox.inspect.FaultQuery;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists the faults of a run. */
@Command(
    name = "faults",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "List faults, lost ranks, resets and new weights.",
    customSynopsis = "signalbox inspect faults JOURNAL [OPTIONS]",
    description = {"%nLists what the backend reported in its order, with the steps that were withdrawn and the requests " +
        "that started over."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect faults runs/0001",
        "  signalbox inspect faults runs/0001 --where 'kind=rank-lost or kind=rank-given-up'",
        "  signalbox inspect faults runs/0001 --rank 3 --follow",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
final class InspectFaults extends InspectTable
{
    @Mixin
    private final RankOption rank = new RankOption();

    @Mixin
    private final WindowOptions window = new WindowOptions();

    @Mixin
    private final FollowOption followOption = new FollowOption();

    InspectFaults(final Console console)
    {
        super(console);
    }

    @Override
    void answer()
    {
        print(new FaultQuery(rank.rank(), window.window(journal())), followOption.follows());
    }
}
