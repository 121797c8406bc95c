// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.options.WindowOptions;
import io.signalbox.inspect.ExpertQuery;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists all experts, the busiest first. */
@Command(
    name = "experts",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "List all experts, the busiest first.",
    customSynopsis = "signalbox inspect experts JOURNAL [OPTIONS]",
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect experts runs/0001",
        "  signalbox inspect experts runs/0001 --from 60 --to 120 --limit 5",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
final class InspectExperts extends InspectTable
{
    @Mixin
    private final WindowOptions window = new WindowOptions();

    InspectExperts(final Console console)
    {
        super(console);
    }

    @Override
    void answer()
    {
        print(ExpertQuery.all(window.window(journal())), false);
    }
}
