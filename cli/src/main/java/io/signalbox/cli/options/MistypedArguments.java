// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Explains arguments that a command does not have, with the nearest names. */
public final class MistypedArguments
{
    private static final int MAX_NAMES = 3;
    private static final int MAX_OWNERS = 8;
    private static final int MAX_QUESTIONS = 3;
    /** Forms of a result: who asks for one of them may want another one. */
    private static final Set<String> FORMS = Set.of("--json", "--json-file", "--csv", "--csv-file", "--parquet");
    /** Commands with more options are referred to by their help. */
    private static final int FEW_OPTIONS = 12;

    private MistypedArguments()
    {
    }

    /**
     * A clause without full stop; {@code null} if the fault is another one.
     *
     * @param all the command line with every command, of which the fault's may have one.
     */
    public static String explain(final ParameterException fault, final Supplier<CommandLine> all)
    {
        final CommandLine command = fault.getCommandLine();
        if (fault instanceof MissingParameterException)
        {
            return unknownOption(command, all);
        }
        if (fault instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty())
        {
            final String argument = unmatched.getUnmatched().get(0);
            return looksLikeOption(argument)
                ? unknownOption(command.getCommandSpec(), name(argument), all) : unknownArgument(command, argument);
        }
        final boolean valueOfFlag = fault.getArgSpec() instanceof OptionSpec option && isFlag(option);
        return valueOfFlag ? flag(command.getCommandSpec(), (OptionSpec)fault.getArgSpec()) : null;
    }

    /** The refusal of a command that does not exist. */
    public static ConfigException noCommand(final CommandLine root, final String name)
    {
        final String problem = unknownCommand(root, name);
        return new ConfigException(problem + "; see 'signalbox --help'.");
    }

    /** The refusal of a question of {@code inspect} that does not exist. */
    public static ConfigException noQuestion(final String name, final List<String> questions)
    {
        return new ConfigException("'" + name + "' is not a question" + nearest(name, questions) + "; give " +
            String.join(", ", questions) + ", or only a JOURNAL.");
    }

    private static String name(final String argument)
    {
        final int end = argument.indexOf('=');
        return end < 0 ? argument : argument.substring(0, end);
    }

    private static boolean isFlag(final OptionSpec option)
    {
        return option.auxiliaryTypes()[0] == boolean.class || option.auxiliaryTypes()[0] == Boolean.class;
    }

    private static String flag(final CommandSpec command, final OptionSpec option)
    {
        final String file = option.longestName() + "-file";
        return option.longestName() + " is a flag without a value" +
            (command.findOption(file) == null ? "" : "; " + file + " FILE writes a file");
    }

    /** An option that the command does not have is the cause more often than the one that is missing. */
    private static String unknownOption(final CommandLine command, final Supplier<CommandLine> all)
    {
        return command.getUnmatchedArguments().stream().filter(MistypedArguments::looksLikeOption).findFirst()
            .map(argument -> unknownOption(command.getCommandSpec(), name(argument), all)).orElse(null);
    }

    private static boolean looksLikeOption(final String argument)
    {
        return argument.length() > 1 && argument.startsWith("-");
    }

    private static String unknownOption(final CommandSpec command, final String name, final Supplier<CommandLine> all)
    {
        final List<String> owners = owners(command, name, all.get());
        if (!owners.isEmpty())
        {
            final List<String> own = longNames(command).stream()
                .filter(option -> command.options().size() <= FEW_OPTIONS || FORMS.contains(name) && FORMS.contains(option))
                .toList();
            return name + " belongs to " + (owners.size() > MAX_OWNERS ? "other commands" : listed(owners)) +
                ", not to " + commandName(command) +
                (own.isEmpty() ? "" : ", which has " + listed(own));
        }
        final List<String> known = new ArrayList<>(longNames(command));
        if (command.parent() != null && command.parent().parent() != null)
        {
            questions(command, all.get()).forEach(question -> known.addAll(longNames(question)));
        }
        return "there is no option '" + name + "'" + nearest(name, new TreeSet<>(known));
    }

    /** The questions that the command of a question has. */
    private static List<CommandSpec> questions(final CommandSpec question, final CommandLine all)
    {
        return all.getSubcommands().get(question.parent().name()).getSubcommands().values().stream()
            .map(CommandLine::getCommandSpec).toList();
    }

    /** {@code inspect run} for a question. */
    private static String commandName(final CommandSpec command)
    {
        return command.qualifiedName().substring(command.root().name().length()).strip();
    }

    /** Other commands, and questions of commands, with such an option; several questions of a command together. */
    private static List<String> owners(final CommandSpec command, final String name, final CommandLine all)
    {
        final List<String> owners = new ArrayList<>();
        all.getSubcommands().values().forEach(line ->
        {
            final String other = commandName(line.getCommandSpec());
            if (!other.equals(commandName(command)) && OptionNames.find(line.getCommandSpec(), name) != null)
            {
                owners.add(other);
            }
            final List<String> questions =
                line.getSubcommands().isEmpty() ? List.of() : owners(command, name, line);
            owners.addAll(questions.size() > MAX_QUESTIONS ? List.of("questions of " + other) : questions);
        });
        return owners;
    }

    private static List<String> longNames(final CommandSpec command)
    {
        return command.options().stream().map(OptionSpec::longestName).toList();
    }

    private static String unknownArgument(final CommandLine command, final String argument)
    {
        final CommandSpec spec = command.getCommandSpec();
        if (spec.parent() == null)
        {
            return unknownCommand(command, argument);
        }
        // A value after a flag that writes no file is the most likely cause.
        final String flags = spec.options().stream()
            .filter(option -> isFlag(option) && spec.findOption(option.longestName() + "-file") != null &&
                command.getParseResult() != null && command.getParseResult().hasMatchedOption(option.longestName()))
            .map(option -> flag(spec, option)).collect(Collectors.joining("; "));
        return "'" + argument + "' is one argument too many" + (flags.isEmpty() ? "" : "; " + flags);
    }

    private static String unknownCommand(final CommandLine root, final String name)
    {
        return "there is no command '" + name + "'" + nearest(name, root.getSubcommands().keySet());
    }

    /** The refusal of an option that a list of settings names without its dashes. */
    public static ConfigException noSetting(
        final String command, final String name, final Collection<String> known)
    {
        return new ConfigException("'" + name + "' is not an option that can be set here" + nearest(name, known) +
            "; 'signalbox " + command + " --help' lists the options.");
    }

    private static String nearest(final String name, final Collection<String> known)
    {
        final List<String> nearest = NearestNames.of(name, known, MAX_NAMES);
        return nearest.isEmpty() ? "" : " (nearest: " + String.join(", ", nearest) + ")";
    }

    private static String listed(final List<String> names)
    {
        final int last = names.size() - 1;
        return last == 0 ? names.get(0) : String.join(", ", names.subList(0, last)) + " and " + names.get(last);
    }
}
