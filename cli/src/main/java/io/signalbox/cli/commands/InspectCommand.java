// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cli.printing.Console;
import io.signalbox.cli.printing.Decimals;
import io.signalbox.cli.printing.ExitCode;
import io.signalbox.cli.printing.InspectionJson;
import io.signalbox.cli.printing.InspectionText;
import io.signalbox.cli.printing.OutputFile;
import io.signalbox.cli.printing.ReadingProgress;
import io.signalbox.journal.inspect.RequestInspection;
import io.signalbox.journal.inspect.RequestInspector;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.concurrent.Callable;

/** Shows one request's life, in particular why the router chose its rank. */
@Command(
    name = "inspect",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "signalbox inspect JOURNAL --request ID [OPTIONS]",
    header = "Show one request's life from a journal, and why it got its rank.",
    description = {
        "%nPrints each placement with the router that decided, its match gate, its tie rule, and the score and terms of " +
            "each candidate rank. Times are logical, in milliseconds after the Submit. Only reads; the journal may still " +
            "be written meanwhile."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect runs/0001 --request 812",
        "  signalbox inspect runs/0001 --request 812 --json",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
public final class InspectCommand implements Callable<Integer>
{
    private static final int DOCUMENT_BYTES = 1 << 16;

    private final Console console;

    @Parameters(paramLabel = "JOURNAL", description = "The journal's directory.")
    private Path journal;

    @Option(names = "--request", paramLabel = "ID", required = true, description = "Show the request with this id.")
    private long requestId;

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

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
        try (OutputFile file = jsonOptions.reserve(DOCUMENT_BYTES))
        {
            final RequestInspection inspection = inspect();
            jsonOptions.print(console, file, () -> InspectionJson.text(journal, inspection),
                () -> InspectionText.print(console.out(), inspection));
            return ExitCode.OK;
        }
    }

    private RequestInspection inspect()
    {
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, "signalbox inspect")))
        {
            final RequestInspection inspection = RequestInspector.inspect(journal, requestId, progress);
            if (inspection.lives().isEmpty())
            {
                throw new ConfigException("--request=" + requestId + " is not in " + journal + ", " + known(inspection));
            }
            return inspection;
        }
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
