// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.options.FollowOption;
import io.signalbox.cli.options.IntervalOption;
import io.signalbox.cli.options.WindowOptions;
import io.signalbox.inspect.ExpertQuery;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Lists the tokens of an expert per layer over time. */
@Command(
    name = "expert",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "List the tokens of an expert per layer over time.",
    customSynopsis = "signalbox inspect expert JOURNAL ID [OPTIONS]",
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect expert runs/0001 1",
        "  signalbox inspect expert runs/0001 1 --every 20 --limit 8",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
final class InspectExpert extends InspectTable
{
    @Parameters(index = "1", paramLabel = "ID", description = "The id of the expert.")
    private int expert;

    @Mixin
    private final IntervalOption every = new IntervalOption();

    @Mixin
    private final WindowOptions window = new WindowOptions();

    @Mixin
    private final FollowOption followOption = new FollowOption();

    InspectExpert(final Console console)
    {
        super(console);
    }

    @Override
    void answer()
    {
        print(ExpertQuery.of(whole("ID", expert), every.nanos(), window.window(journal())), followOption.follows());
    }
}
