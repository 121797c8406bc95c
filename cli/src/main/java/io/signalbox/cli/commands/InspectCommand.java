// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.printing.Console;
import io.signalbox.cli.printing.Decimals;
import io.signalbox.cli.printing.ExitCode;
import io.signalbox.cli.printing.InspectionJson;
import io.signalbox.cli.printing.InspectionText;
import io.signalbox.cli.printing.ReadingNotice;
import io.signalbox.journal.inspect.RequestInspection;
import io.signalbox.journal.inspect.RequestInspector;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.concurrent.Callable;

/** Shows what became of one request, above all why it was placed where it was. */
@Command(
    name = "inspect",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 110,
    header = "Show one request's life from a journal, and why it was placed where it was.",
    description = {
        "%nEvery placement is shown with the policy that decided, its gate, its tie rule, and each candidate rank's " +
            "score and terms. Times are logical, in milliseconds behind the Submit. Reads only, also while the journal " +
            "is being written."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect runs/0001 --request 812",
        "  signalbox inspect runs/0001 --request 812 --json",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 something to mend outside: options, permissions, disk,",
        "            memory; 3 an internal error."})
public final class InspectCommand implements Callable<Integer>
{
    private final Console console;

    @Parameters(paramLabel = "JOURNAL", description = "The journal's directory.")
    private Path journal;

    @Option(names = "--request", paramLabel = "ID", required = true, description = "The request's id.")
    private long requestId;

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean asJson;

    public InspectCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        if (journal.toString().isEmpty())
        {
            throw new ConfigException("JOURNAL is empty; give the directory of a journal.");
        }
        final RequestInspection inspection;
        try (ReadingNotice notice = new ReadingNotice(console, "signalbox inspect"))
        {
            inspection = RequestInspector.inspect(journal, requestId, notice);
        }
        if (inspection.lives().isEmpty())
        {
            throw new ConfigException("--request=" + requestId + " is not in " + journal + ", " + known(inspection));
        }
        if (asJson)
        {
            InspectionJson.print(console.out(), journal, inspection);
        }
        else
        {
            InspectionText.print(console.out(), inspection);
        }
        return ExitCode.OK;
    }

    private static String known(final RequestInspection inspection)
    {
        final RequestInspection.Submits submitted = inspection.submitted();
        return submitted.count() == 0
            ? "which holds no request" + (inspection.end() == RequestInspection.JournalEnd.BEING_WRITTEN ? " yet" : "") +
                "; give another journal."
            : "whose " + Decimals.grouped(submitted.count()) + " requests have ids from " + submitted.lowestId() + " to " +
                submitted.highestId() + "; give one of them.";
    }
}
