// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.commands.CalibrateCommand;
import io.signalbox.cli.commands.CompareCommand;
import io.signalbox.cli.commands.CompletionCommand;
import io.signalbox.cli.commands.DiffCommand;
import io.signalbox.cli.commands.DoctorCommand;
import io.signalbox.cli.commands.ExpertsCommand;
import io.signalbox.cli.commands.GpuCommand;
import io.signalbox.cli.commands.HelpCommand;
import io.signalbox.cli.commands.InspectCommand;
import io.signalbox.cli.commands.RedactCommand;
import io.signalbox.cli.commands.ReplayCommand;
import io.signalbox.cli.commands.RunCommand;
import io.signalbox.cli.commands.RunsCommand;
import io.signalbox.cli.commands.ServeCommand;
import io.signalbox.cli.commands.SimulateCommand;
import io.signalbox.cli.commands.SnapshotCommand;
import io.signalbox.cli.commands.SweepCommand;
import io.signalbox.cli.commands.TimelineCommand;
import io.signalbox.cli.commands.TraceCommand;
import io.signalbox.cli.commands.WhatIfCommand;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.options.CommandModel;
import picocli.CommandLine;

import java.util.List;
import java.util.function.Predicate;

/** The commands, as far as arguments ask for them: a model of all commands takes longer than many a command. */
final class AskedCommands
{
    /** The command that looks at all others. */
    private static final String COMPLETION = "completion";
    private static final String HELP = "help";

    private AskedCommands()
    {
    }

    /** Adds every command. */
    static void addAll(final CommandLine root, final Console console)
    {
        add(root, console, name -> true);
    }

    /**
     * Adds the command that the first argument names. If it names none, or asks for help, all commands are added, of which
     * only those that an argument names have options.
     */
    static void addAsked(final CommandLine root, final Console console, final String... arguments)
    {
        final String first = arguments.length == 0 ? "" : arguments[0];
        if (first.equals(COMPLETION))
        {
            addAll(root, console);
        }
        else if (HelpCommand.COMMANDS.contains(first) && !first.equals(HELP))
        {
            final Predicate<String> question = arguments.length > 1 && InspectCommand.QUESTIONS.contains(arguments[1]) ?
                arguments[1]::equals : List.of(arguments)::contains;
            root.addSubcommand(first, command(first, console, question));
        }
        else
        {
            add(root, console, List.of(arguments)::contains);
        }
    }

    private static void add(final CommandLine root, final Console console, final Predicate<String> isWhole)
    {
        HelpCommand.COMMANDS.forEach(name -> root.addSubcommand(name, isWhole.test(name) ?
            command(name, console, question -> true) : CommandModel.listed(type(name))));
    }

    private static CommandLine command(final String name, final Console console, final Predicate<String> questions)
    {
        return switch (name)
        {
            case "inspect" -> InspectCommand.line(console, questions);
            case "sweep" -> SweepCommand.line(console);
            case "gpu" -> CommandModel.of(new GpuCommand(console, Main.class));
            default -> CommandModel.of(type(name), console);
        };
    }

    private static Class<?> type(final String name)
    {
        return switch (name)
        {
            case "simulate" -> SimulateCommand.class;
            case "run" -> RunCommand.class;
            case "serve" -> ServeCommand.class;
            case "compare" -> CompareCommand.class;
            case "sweep" -> SweepCommand.class;
            case "replay" -> ReplayCommand.class;
            case "inspect" -> InspectCommand.class;
            case "snapshot" -> SnapshotCommand.class;
            case "runs" -> RunsCommand.class;
            case "experts" -> ExpertsCommand.class;
            case "trace" -> TraceCommand.class;
            case "redact" -> RedactCommand.class;
            case "timeline" -> TimelineCommand.class;
            case "whatif" -> WhatIfCommand.class;
            case "diff" -> DiffCommand.class;
            case "calibrate" -> CalibrateCommand.class;
            case "doctor" -> DoctorCommand.class;
            case "gpu" -> GpuCommand.class;
            case HELP -> HelpCommand.class;
            case COMPLETION -> CompletionCommand.class;
            default -> throw new IllegalArgumentException(name);
        };
    }
}
