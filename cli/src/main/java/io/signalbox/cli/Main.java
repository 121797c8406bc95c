// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.ConfigException;
import io.signalbox.cli.commands.HelpCommand;
import io.signalbox.cli.commands.InspectArguments;
import io.signalbox.cli.console.CommandFailure;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.HelpPage;
import io.signalbox.cli.console.ResultStream;
import io.signalbox.cli.options.ArgumentConverters;
import io.signalbox.cli.options.CommandFiles;
import io.signalbox.cli.options.FormerNames;
import io.signalbox.cli.options.IdleOptions;
import io.signalbox.cli.options.MistypedArguments;
import io.signalbox.cli.options.OptionNames;
import io.signalbox.cuda.driver.StuckThreads;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;

/** The command line: parses, calls the library, prints. */
@Command(
    name = "signalbox",
    version = "signalbox 0.1.0",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "An event-sourced scheduler for Mixture-of-Experts inference.",
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox simulate                             the built-in workload on 8 simulated ranks",
        "  signalbox simulate --trace trace.jsonl.gz --router kv-aware --block-size 512 --json",
        "  signalbox run                                  a tiny MoE model on the processor",
        "  signalbox serve                                an HTTP server over simulated ranks, in real time",
        "  signalbox compare --workloads skewed,bursty    routers side by side, with confidence intervals",
        "  signalbox sweep --grid kv-blocks=4097,8193 --out runs/s1    a search over settings, in shards",
        "  signalbox replay runs/0001 --verify            verify a journal, decision by decision",
        "  signalbox inspect request runs/0001 812        one request's life and why it got its rank",
        "  signalbox experts runs/0001 --all --out rows   the routed experts of every request, as files",
        "  signalbox whatif runs/0001 --kv-blocks 131072  the same requests under another policy",
        "  signalbox diff runs/0001 runs/0002             where two runs part, and what follows",
        "  signalbox doctor                               check Java, flags, memory, disk and GPU",
        "  signalbox gpu                                  check the CUDA backend on this machine's GPU",
        "  signalbox help simulate                        the options of a command",
        "",
        "Exit codes: 0 done; 1 a check failed or a journal is refused; 2 usage or environment error:",
        "            options, input, files, disk or memory; 3 internal error."})
public final class Main implements Callable<Integer>
{
    @Spec
    private CommandSpec spec;

    private Main()
    {
    }

    public static void main(final String[] arguments)
    {
        final ResultStream out = new ResultStream(new FileOutputStream(FileDescriptor.out));
        final PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        final Console console =
            new Console(out, err, Boolean.getBoolean("signalbox.terminal"), Console.columns(System.getenv("COLUMNS")));
        final String shortage = OpenFiles.shortage(OpenFiles.LIMITS);
        if (shortage != null)
        {
            end(new CommandFailure(ExitCode.BAD_INPUT, shortage).print(console, commandName(arguments)));
        }
        ForeignExit.watch(console, commandName(arguments), code -> Runtime.getRuntime().halt(code));
        end(run(console, arguments));
    }

    /** A thread that hangs in the GPU's driver, or work that never ends, keeps an ordinary end of the process waiting. */
    private static void end(final int exitCode)
    {
        if (StuckThreads.mayKeepProcess())
        {
            LastResort.arm();
            Runtime.getRuntime().halt(exitCode);
        }
        System.exit(exitCode);
    }

    /** Runs one command in this process; returns its exit code and ends nothing. */
    static int run(final Console console, final String... arguments)
    {
        final int exitCode = execute(console, arguments);
        final String lost = console.out().conclude();
        if (lost == null)
        {
            return exitCode;
        }
        final int failed = CommandFailure.lostOutput(lost).print(console, commandName(arguments));
        return exitCode == ExitCode.OK ? failed : exitCode;
    }

    private static int execute(final Console console, final String... given)
    {
        String[] arguments = given;
        try
        {
            arguments = InspectArguments.rewritten(given);
            final CommandLine line = asked(console, arguments);
            final CommandLine command = arguments.length == 0 ? null : line.getSubcommands().get(arguments[0]);
            arguments = command == null ? arguments : FormerNames.replaced(command.getCommandSpec(), arguments);
            final String help = HelpRequest.of(line, arguments);
            if (help != null)
            {
                console.out().print(help);
                return ExitCode.OK;
            }
            final String repeated = IdleOptions.repeated(line, arguments);
            if (repeated != null)
            {
                return CommandFailure.badUsage(repeated + " is given more than once; give it once", commandName(arguments))
                    .print(console, commandName(arguments));
            }
            return line.execute(arguments);
        }
        // Errors too: an invariant that does not hold must end in a sentence, like everything else.
        catch (final Throwable e)
        {
            return CommandFailure.of(e).print(console, commandName(given));
        }
    }

    private static String commandName(final String... arguments)
    {
        final boolean known = arguments.length > 0 && HelpCommand.COMMANDS.contains(arguments[0]);
        return known ? "signalbox " + arguments[0] : "signalbox";
    }

    /** Every command. */
    static CommandLine commandLine(final Console console)
    {
        final CommandLine line = new CommandLine(new Main());
        AskedCommands.addAll(line, console);
        return prepared(line, console);
    }

    private static CommandLine asked(final Console console, final String... arguments)
    {
        final CommandLine line = new CommandLine(new Main());
        AskedCommands.addAsked(line, console, arguments);
        return prepared(line, console);
    }

    private static CommandLine prepared(final CommandLine line, final Console console)
    {
        // picocli asks the command that has the option, and prints nothing if that one has no version.
        versions(line, line.getCommandSpec().version());
        line.setUsageHelpWidth(console.columns());
        line.setExecutionStrategy(parsed -> run(console, parsed));
        line.setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8));
        ArgumentConverters.register(line);
        line.setParameterExceptionHandler((exception, input) -> badUsage(console, exception));
        line.setExecutionExceptionHandler((exception, failed, parsed) ->
            CommandFailure.of(exception, fault -> OptionNames.named(fault, failed.getCommandSpec()))
                .print(console, failed.getCommandSpec().qualifiedName()));
        return line;
    }

    private static void versions(final CommandLine line, final String... version)
    {
        line.getCommandSpec().version(version);
        line.getSubcommands().values().forEach(command -> versions(command, version));
    }

    /** The pages of help are ours; all else is picocli's. */
    private static int run(final Console console, final ParseResult parsed)
    {
        for (ParseResult at = parsed; at != null; at = at.subcommand())
        {
            if (at.isUsageHelpRequested())
            {
                console.out().print(new HelpPage(at.commandSpec().commandLine()).text());
                return ExitCode.OK;
            }
        }
        final ParseResult command = innermost(parsed);
        try
        {
            IdleOptions.refuseEmptyElements(command);
            CommandFiles.check(command);
        }
        catch (final ConfigException e)
        {
            return CommandFailure.of(e).print(console, command.commandSpec().qualifiedName());
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    private static ParseResult innermost(final ParseResult parsed)
    {
        return parsed.hasSubcommand() ? innermost(parsed.subcommand()) : parsed;
    }

    private static int badUsage(final Console console, final ParameterException exception)
    {
        final String command = exception.getCommandLine().getCommandSpec().qualifiedName();
        // A converter's own exception has the better sentence.
        final Throwable cause = exception.getCause() == null ? exception : exception.getCause();
        final String mistyped = MistypedArguments.explain(exception, () -> commandLine(console));
        final String problem = mistyped != null ? mistyped :
            cause instanceof ConfigException fault
                ? OptionNames.named(fault, exception.getCommandLine().getCommandSpec()).getMessage()
                : exception.getMessage();
        return CommandFailure.badUsage(problem, command).print(console, command);
    }

    /** Without a command there is nothing to run. */
    @Override
    public Integer call()
    {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
