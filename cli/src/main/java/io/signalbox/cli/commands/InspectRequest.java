// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.options.FollowOption;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.inspect.BlockQuery;
import io.signalbox.inspect.RequestInspection;
import io.signalbox.inspect.StepQuery;
import io.signalbox.printing.InspectionText;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.RequestDocument;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.List;

/** Shows one request's life, its steps or its KV blocks. */
@Command(
    name = "request",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Show one request's life and why it got its rank.",
    customSynopsis = "signalbox inspect request JOURNAL ID [OPTIONS]",
    description = {"%nPrints each placement with the router that decided, its match gate, its tie rule, and the score " +
        "and terms of each candidate rank. Times are logical, in milliseconds after the Submit."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect request runs/0001 812",
        "  signalbox inspect request runs/0001 812 --show steps",
        "  signalbox inspect request runs/0001 812 --show blocks --csv",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
final class InspectRequest extends InspectTable
{
    private static final int DOCUMENT_BYTES = 1 << 16;
    private static final List<String> VIEWS = List.of("life", "steps", "blocks");

    private final JsonOptions jsonOptions;

    @Parameters(index = "1", paramLabel = "ID", description = "The id of the request.")
    private long id;

    @Option(names = "--show", paramLabel = "VIEW", completionCandidates = Views.class,
        description = "Show the life of the request, or list its steps, or its KV blocks, shared ones included: life, " +
            "steps or blocks (default: life).")
    private String view = "life";

    @Mixin
    private final FollowOption followOption = new FollowOption();

    InspectRequest(final Console console)
    {
        this(console, new JsonOptions());
    }

    private InspectRequest(final Console console, final JsonOptions jsonOptions)
    {
        super(console, jsonOptions);
        this.jsonOptions = jsonOptions;
    }

    @Override
    void answer()
    {
        requireKnown("--show", List.of(view), VIEWS);
        if (view.equals("life"))
        {
            printLife();
            return;
        }
        if (jsonOptions.file() != null)
        {
            throw new ConfigException(JsonOptions.FILE_OPTION + " is for documents of known size; print the table with " +
                "--json and direct it to a file.");
        }
        print(view.equals("steps") ? new StepQuery(id) : BlockQuery.ofRequest(id),
            followOption.follows(), () -> inspectRequest(id));
    }

    private void printLife()
    {
        refuseTableOptions();
        if (followOption.follows())
        {
            throw new ConfigException("--follow is for --show steps and --show blocks; leave it out, or add one of them.");
        }
        noteRemovedRecords();
        try (OutputFile file = jsonOptions.reserve(DOCUMENT_BYTES))
        {
            final RequestInspection inspection = inspectRequest(id);
            jsonOptions.print(console(), file, () -> JsonDocument.text(RequestDocument.of(journal(), inspection)),
                () -> InspectionText.print(console().out(), inspection));
        }
    }

    static final class Views extends Candidates
    {
        Views()
        {
            super(VIEWS);
        }
    }
}
