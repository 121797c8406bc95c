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
import io.signalbox.journal.inspect.AcceptedDrafts;
import io.signalbox.journal.inspect.RequestInspection;
import io.signalbox.journal.inspect.RequestInspector;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;

/** Shows one request's life, in particular why the router chose its rank, or what all requests accepted. */
@Command(
    name = "inspect",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Show one request's life from a journal, and why it got its rank.",
    customSynopsis = "signalbox inspect JOURNAL (--request ID | --accepted-drafts) [OPTIONS]",
    description = {
        "%nWith --request: prints each placement with the router that decided, its match gate, its tie rule, and the " +
            "score and terms of each candidate rank. Times are logical, in milliseconds after the Submit. Only reads; the " +
            "journal may still be written meanwhile."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect runs/0001 --request 812",
        "  signalbox inspect runs/0001 --request 812 --json",
        "  signalbox inspect runs/0001 --accepted-drafts > accepted.jsonl",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
public final class InspectCommand implements Callable<Integer>
{
    private static final int DOCUMENT_BYTES = 1 << 16;

    private final Console console;

    @Parameters(paramLabel = "JOURNAL", description = "The journal's directory.")
    private Path journal;

    @Option(names = "--request", paramLabel = "ID", description = "Show the request with this id.")
    private Long requestId;

    @Option(names = "--accepted-drafts",
        description = "Print the draft tokens that each step accepted, a JSON line per request by ascending id, as " +
            "'simulate --draft-acceptance-file' reads them.")
    private boolean acceptedDrafts;

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
        checkChoice();
        if (acceptedDrafts)
        {
            printAcceptedDrafts();
            return ExitCode.OK;
        }
        try (OutputFile file = jsonOptions.reserve(DOCUMENT_BYTES))
        {
            final RequestInspection inspection = inspect();
            jsonOptions.print(console, file, () -> InspectionJson.text(journal, inspection),
                () -> InspectionText.print(console.out(), inspection));
            return ExitCode.OK;
        }
    }

    private void checkChoice()
    {
        if (requestId == null && !acceptedDrafts)
        {
            throw new ConfigException("--request is missing; give --request=ID, or --accepted-drafts.");
        }
        if (requestId != null && acceptedDrafts)
        {
            throw new ConfigException("--request and --accepted-drafts exclude each other; leave one out.");
        }
        if (acceptedDrafts && (jsonOptions.isJson() || jsonOptions.file() != null))
        {
            throw new ConfigException("--accepted-drafts prints a JSON line per request; leave out --json and " +
                JsonOptions.FILE_OPTION + ".");
        }
    }

    private void printAcceptedDrafts()
    {
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, "signalbox inspect")))
        {
            for (final int[] counts : AcceptedDrafts.read(journal, progress).values())
            {
                console.out().print("{\"accepted\": " + Arrays.toString(counts) + "}\n");
            }
        }
        console.out().flush();
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
