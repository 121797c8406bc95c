// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.batch.QueueOrder;
import io.signalbox.batch.UnderPressure;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Refuses options that have no effect beside the others, and options that are given more than once. */
public final class IdleOptions
{
    private static final List<String> OF_GENERATOR = List.of(
        "--workload", "--conversations", "--clients", "--arrivals", "--system-prompt", "--turns", "--user-tokens",
        "--output-tokens", "--think-time", "--max-context");
    private static final List<String> OF_AGENT_TRACE =
        List.of("--plays", "--stagger", "--max-think-time", "--separate-plays");
    private static final List<String> OF_ROUTER = List.of("--router", "--beta");
    private static final List<String> OF_JOURNAL = List.of("--durability", "--no-verify",
        "--journal-tokens", "--journal-key");
    private static final List<String> OF_CAPTURE = List.of("--moe-layers", "--layer-ids", "--experts", "--top-k",
        "--combine-weights", "--expert-skew");

    private IdleOptions()
    {
    }

    public static void refuse(final ParseResult given)
    {
        if (given.hasMatchedOption("--trace"))
        {
            OF_GENERATOR.forEach(option ->
                refuse(given, option, "is for generated workloads, and --trace gives the requests"));
        }
        else
        {
            OF_AGENT_TRACE.forEach(option -> refuse(given, option, "is for plays of a --trace, which is not given"));
        }
        if (given.hasMatchedOption("--no-capture"))
        {
            OF_CAPTURE.forEach(option -> refuse(given, option, "shapes routed experts, and --no-capture captures none"));
        }
        if (given.hasMatchedOption("--router-config"))
        {
            OF_ROUTER.forEach(option -> refuse(given, option, "is a choice that --router-config makes"));
        }
        if (given.hasMatchedOption("--no-journal"))
        {
            OF_JOURNAL.forEach(option -> refuse(given, option, "concerns the journal, and --no-journal writes none"));
        }
        if (!given.hasMatchedOption("--cancel-fraction"))
        {
            refuse(given, "--cancel-after", "is for requests that --cancel-fraction cancels, which is not given");
        }
        refuseOfRanks(given);
        if (!given.hasMatchedOption("--threaded"))
        {
            refuse(given, "--ring-size", "is for --threaded, which is not given");
        }
    }

    /** The check for commands that simulate ranks. */
    public static void refuseOfRanks(final ParseResult given)
    {
        if (given.hasMatchedOption("--no-prefix-caching"))
        {
            refuse(given, "--eviction", "is for cached prefixes, and --no-prefix-caching keeps none");
            refuse(given, "--no-same-step-sharing", "is for shared prefixes, and --no-prefix-caching shares none");
        }
        if (given.matchedOptionValue("--under-pressure", UnderPressure.RECOMPUTE) != UnderPressure.PAUSE)
        {
            refuse(given, "--paused-blocks", "is for --under-pressure pause, which is not given");
        }
        if (given.matchedOptionValue("--queue-order", QueueOrder.FIRST_COME) != QueueOrder.FAIR)
        {
            refuse(given, "--tenant-weights", "is for --queue-order fair, which is not given");
            refuse(given, "--max-tenants", "is for --queue-order fair, which is not given");
        }
        refuseOfDrafts(given);
        if (!given.hasMatchedOption("--long-prefill-tokens"))
        {
            refuse(given, "--max-long-prefills", "is for --long-prefill-tokens, which is not given");
        }
    }

    private static void refuseOfDrafts(final ParseResult given)
    {
        if (given.hasMatchedOption("--draft-acceptance-file"))
        {
            refuse(given, "--draft-acceptance", "is a choice that --draft-acceptance-file makes");
        }
        if (given.matchedOptionValue("--draft-tokens", 0) == 0)
        {
            refuse(given, "--draft-acceptance", "is for draft tokens, and --draft-tokens gives none");
            refuse(given, "--draft-acceptance-file", "is for draft tokens, and --draft-tokens gives none");
        }
    }

    private static void refuse(final ParseResult given, final String option, final String reason)
    {
        if (given.hasMatchedOption(option))
        {
            throw new ConfigException(option + " " + reason + "; leave it out, or change the other.");
        }
    }

    /** The first option that is given again; {@code null} if there is none. */
    public static String repeated(final CommandLine line, final String... arguments)
    {
        CommandLine command = line;
        for (int i = 0; i < arguments.length && command.getSubcommands().containsKey(arguments[i]); i++)
        {
            command = command.getSubcommands().get(arguments[i]);
        }
        return command == line ? null : repeatedIn(command, arguments);
    }

    private static boolean mayBeRepeated(final OptionSpec option)
    {
        return option.isMultiValue() && (option.splitRegex() == null || option.splitRegex().isEmpty());
    }

    /** The first option of a command that is given again, unless it may be; {@code null} if there is none. */
    static String repeatedIn(final CommandLine command, final String... arguments)
    {
        final Set<String> seen = new HashSet<>();
        for (final String argument : arguments)
        {
            final int end = argument.indexOf('=');
            final String name = end < 0 ? argument : argument.substring(0, end);
            if (name.equals("--"))
            {
                return null;
            }
            final OptionSpec option = command.getCommandSpec().optionsMap().get(name);
            if (option != null && !mayBeRepeated(option) && !seen.add(name))
            {
                return name;
            }
        }
        return null;
    }
}
