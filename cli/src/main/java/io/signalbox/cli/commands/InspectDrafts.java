// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.inspect.AcceptedDrafts;
import io.signalbox.printing.Decimals;
import picocli.CommandLine.Command;

import java.util.Arrays;

/** Prints the draft tokens that each step accepted. */
@Command(
    name = "drafts",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Print the draft tokens that each step accepted.",
    customSynopsis = "signalbox inspect drafts JOURNAL [OPTIONS]",
    description = {"%nPrints a JSON line per request by ascending id, as 'simulate --draft-acceptance-file' reads them."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect drafts runs/0001 > accepted.jsonl",
        "  signalbox simulate --draft-tokens 3 --draft-acceptance-file accepted.jsonl",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
final class InspectDrafts extends InspectQuestion
{
    InspectDrafts(final Console console)
    {
        super(console);
    }

    @Override
    void answer()
    {
        noteRemovedRecords();
        try (ReadingProgress progress = progress())
        {
            final AcceptedDrafts drafts = AcceptedDrafts.read(journal(), progress);
            for (final int[] counts : drafts.counts().values())
            {
                console().out().print("{\"accepted\": " + Arrays.toString(counts) + "}\n");
            }
            console().out().flush();
            if (drafts.unfinished() > 0)
            {
                console().err().println(InspectCommand.NAME + ": left out: later steps of " +
                    Decimals.counted(drafts.unfinished(), "request") + " that had not ended.");
            }
        }
    }
}
