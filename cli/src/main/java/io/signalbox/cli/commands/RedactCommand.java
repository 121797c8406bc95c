// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.JournalOptions;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.OutputPath;
import io.signalbox.cli.options.PluginOptions;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.journal.JournalRedaction;
import io.signalbox.journal.RunDirectories;
import io.signalbox.journal.TokenKey;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.RedactReport;
import io.signalbox.router.DpRouters;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.concurrent.Callable;

/** Writes a journal again without its tokens. */
@Command(
    name = "redact",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Write a journal again without its tokens.",
    customSynopsis = "signalbox redact JOURNAL NEW [OPTIONS]",
    description = {
        "%nThe new journal has the same decisions, lengths, times and rows, and verifies on its own. Prompts and sampled " +
            "tokens are left out; block hashes become keyed hashes; cache keys, tenants and notes become pseudonyms. " +
            "Only reads JOURNAL. A model can still infer tokens from their routed-expert rows: see docs/journal.md."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  (umask 077; head -c 32 /dev/urandom > journal.key)",
        "  signalbox redact runs/0001 runs/0001-redacted --journal-key journal.key",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
public final class RedactCommand implements Callable<Integer>
{
    private static final int DOCUMENT_BYTES = 1 << 12;

    private final Console console;

    @Parameters(index = "0", paramLabel = "JOURNAL", description = "The journal's directory.")
    @InputPath
    private Path journal;

    @Parameters(index = "1", paramLabel = "NEW", description = "A directory that is new or empty.")
    @OutputPath
    private Path target;

    @Option(names = JournalOptions.KEY, paramLabel = "FILE", required = true,
        description = "Key block hashes with the bytes of FILE, 32 or more, which only its owner can read.")
    @InputPath
    private Path keyFile;

    @Mixin
    private final PluginOptions plugins = new PluginOptions();

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    public RedactCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        JournalArgument.requireNamed(journal);
        JournalArgument.requireNamed(target);
        final TokenKey key = TokenKey.read(JournalOptions.KEY, keyFile);
        RunDirectories.requireFree(target);
        final DpRouters routers = plugins.routers();
        try (OutputFile file = jsonOptions.reserve(DOCUMENT_BYTES))
        {
            final JournalRedaction.Result result = redact(routers, key);
            final RedactReport report = new RedactReport(journal, target, key.id(), result);
            jsonOptions.print(console, file, report::json, () -> report.print(console.out()));
            return ExitCode.OK;
        }
    }

    private JournalRedaction.Result redact(final DpRouters routers, final TokenKey key)
    {
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, "signalbox redact")))
        {
            return JournalRedaction.redact(journal, target, routers, key, progress);
        }
    }
}
