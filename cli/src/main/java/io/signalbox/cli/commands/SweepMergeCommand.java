// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.sweep.SweepFront;
import io.signalbox.cli.options.sweep.SweepPlanFile;
import io.signalbox.printing.OutputFile;
import io.signalbox.sweep.SweepDirectory;
import io.signalbox.sweep.SweepMerge;
import io.signalbox.sweep.SweepPlan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/** Joins the shards of a sweep and ranks their cells. */
@Command(
    name = "merge",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "signalbox sweep merge DIR... [OPTIONS]",
    header = "Join the shards of a sweep and rank all cells.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox sweep merge shard-0 shard-1 --json-file all.json",
        "",
        "Exit codes: 0 done; 2 usage or environment error: a run is missing or there twice, options, files",
        "            or memory; 3 internal error."})
final class SweepMergeCommand implements Callable<Integer>
{
    private final Console console;
    @Spec
    private CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "DIR", description = "The directories that the shards wrote with --out.")
    @InputPath
    private List<Path> directories;

    @Mixin
    private final SweepFront front = new SweepFront();

    @Mixin
    private final SweepTop top = new SweepTop();

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    public SweepMergeCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        final List<OptionSpec> misplaced = spec.parent().commandLine().getParseResult().matchedOptions();
        if (!misplaced.isEmpty())
        {
            throw new ConfigException(
                misplaced.get(0).longestName() + " is an option of sweep, and merge runs nothing; leave it out.");
        }
        final Path first = directories.get(0);
        final String text = SweepDirectory.plan(first);
        final Path file = first.resolve(SweepDirectory.PLAN);
        final SweepPlan plan = new SweepPlanFile(file.toString(), file.toString()).stored();
        final SweepResult result = new SweepResult(console, jsonOptions, front.figures(), top.cells());
        final SweepMerge merge = new SweepMerge(plan);
        for (final Path directory : directories)
        {
            if (!SweepDirectory.plan(directory).equals(text))
            {
                throw new ConfigException(directory + " holds another sweep than " + first + ", as its " +
                    SweepDirectory.PLAN + " says; give the shards of one sweep.");
            }
            merge.add(directory);
        }
        try (OutputFile document = jsonOptions.reserve(SweepCommand.bytes(plan, plan.cells().size())))
        {
            result.print(plan, merge.complete(), document);
        }
        return ExitCode.OK;
    }
}
