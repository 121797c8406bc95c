// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.HelpPage;
import io.signalbox.cli.options.MistypedArguments;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;

/** Prints the help of a command, as {@code --help} does. */
@Command(
    name = "help",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Explain a command, a group of its options, or a question of inspect.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox help",
        "  signalbox help simulate",
        "  signalbox help simulate workload   the group 'workload' of its options",
        "  signalbox help simulate all        all of its options",
        "  signalbox help inspect moment      a question of inspect",
        "",
        "Exit codes: 0 done; 2 there is no such command or group."})
public final class HelpCommand implements Callable<Integer>
{
    /** The names of all commands, in the order of the help. */
    public static final List<String> COMMANDS =
        List.of("simulate", "run", "serve", "compare", "sweep", "replay", "inspect", "snapshot", "runs", "experts", "trace",
            "redact", "timeline", "whatif", "diff", "calibrate", "doctor", "gpu", "help", "completion");

    private final Console console;
    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", arity = "0..1", paramLabel = "COMMAND", completionCandidates = Commands.class,
        description = "The command (default: signalbox itself).")
    private String command;

    @Parameters(index = "1", arity = "0..1", paramLabel = "GROUP",
        description = "A group of the command's options, a question of inspect, or all.")
    private String group;

    public HelpCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        final CommandLine root = spec.parent().commandLine();
        final CommandLine asked = command == null ? root : root.getSubcommands().get(command);
        if (asked == null)
        {
            throw MistypedArguments.noCommand(root, command);
        }
        final CommandLine question = group == null ? null : asked.getSubcommands().get(group);
        if (group != null && question == null && !asked.getSubcommands().isEmpty() && !group.equals(HelpPage.ALL) &&
            !new HelpPage(asked).groups().contains(group))
        {
            throw new ConfigException("'" + group + "' is not a question of " + command + "; give " +
                String.join(", ", asked.getSubcommands().keySet()) + " or " + HelpPage.ALL + ".");
        }
        final HelpPage page = new HelpPage(question == null ? asked : question);
        console.out().print(group == null || question != null ? page.text() : page.text(group));
        return ExitCode.OK;
    }

    static final class Commands implements Iterable<String>
    {
        @Override
        public Iterator<String> iterator()
        {
            return COMMANDS.iterator();
        }
    }
}
