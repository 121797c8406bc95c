// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.options.AskedMoment;
import io.signalbox.cli.options.MistypedArguments;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Arguments of {@code inspect} that do not name a question: a journal alone, and the form of earlier versions, in which an
 * option asked the question. They are rewritten to the same question in today's form.
 */
public final class InspectArguments
{
    private static final String REQUEST = "--request";
    private static final String RANK = "--rank";
    /** Options that asked a question without a value, and the question. */
    private static final Map<String, String> FLAGS = Map.of("--requests", "requests", "--steps", "request",
        "--blocks", "request", "--experts", "experts", "--events", "events", "--accepted-drafts", "drafts");
    /** Options that asked a question about their value, and the question. */
    private static final Map<String, String> ABOUT =
        Map.of("--block", "block", "--expert", "expert", "--moment", "moment", "--at", "moment");
    /** Options with a value that today's questions have. */
    private static final Set<String> VALUED = Set.of("--slowest", "--end", "--of-conversation", "--message", "--record",
        "--every", "--from", "--to", "--show", "--limit", "--parquet", "--json-file", "--html", "--slo",
        "--columns", "--where");
    private static final Set<String> NOT_ASKING = Set.of("-h", "--help", "-V", "--version");

    private final String[] arguments;
    private final List<String> asking = new ArrayList<>();
    private final Map<String, String> values = new HashMap<>();
    private final List<String> options = new ArrayList<>();
    private final List<String> words = new ArrayList<>();

    private InspectArguments(final String... arguments)
    {
        this.arguments = arguments;
    }

    /**
     * The arguments in today's form; arguments of other commands are returned as they are.
     *
     * @throws ConfigException if they ask two questions, or lack a journal.
     */
    public static String[] rewritten(final String... arguments)
    {
        if (arguments.length < 2 || !arguments[0].equals("inspect") || InspectCommand.QUESTIONS.contains(arguments[1]) ||
            NOT_ASKING.contains(name(arguments[1])))
        {
            return arguments;
        }
        final InspectArguments given = new InspectArguments(arguments);
        given.sort();
        return given.today().toArray(new String[0]);
    }

    private static String name(final String argument)
    {
        final int end = argument.indexOf('=');
        return end < 0 ? argument : argument.substring(0, end);
    }

    private void sort()
    {
        if (arguments.length > 2 && isWord(arguments[1]) && isWord(arguments[2]))
        {
            throw MistypedArguments.noQuestion(arguments[1], InspectCommand.QUESTIONS);
        }
        for (int i = 1; i < arguments.length; i++)
        {
            final String argument = arguments[i];
            if (argument.equals("--"))
            {
                words.addAll(List.of(arguments).subList(i + 1, arguments.length));
                return;
            }
            if (isWord(argument))
            {
                words.add(argument);
                continue;
            }
            final String name = name(argument);
            final boolean joined = argument.length() > name.length();
            final boolean asks = ABOUT.containsKey(name) || name.equals(REQUEST) || name.equals(RANK);
            final boolean separate = !joined && (asks || VALUED.contains(name));
            if (separate && i + 1 == arguments.length)
            {
                throw new ConfigException(name + " needs a value; see 'signalbox inspect --help'.");
            }
            final String value = joined ? argument.substring(name.length() + 1) : separate ? arguments[++i] : null;
            if (asks)
            {
                put(name, value);
            }
            else if (FLAGS.containsKey(name))
            {
                flag(name, value);
            }
            else
            {
                options.add(argument);
                options.addAll(separate ? List.of(value) : List.of());
            }
        }
    }

    private static boolean isWord(final String argument)
    {
        return !argument.startsWith("-");
    }

    private void put(final String name, final String value)
    {
        if (values.put(name, value) != null)
        {
            throw new ConfigException(name + " is given more than once; give it once.");
        }
        if (ABOUT.containsKey(name))
        {
            asking.add(name);
        }
    }

    /** @param value {@code null} if there is none. */
    private void flag(final String name, final String value)
    {
        if (asking.contains(name))
        {
            throw new ConfigException(name + " is given more than once; give it once.");
        }
        if (value != null && !value.equals("true") && !value.equals("false"))
        {
            throw new ConfigException(name + " is a flag without a value; give " + name + " alone.");
        }
        if (!"false".equals(value))
        {
            asking.add(name);
        }
    }

    private List<String> today()
    {
        if (asking.size() > 1)
        {
            throw new ConfigException(asking.get(0) + " and " + asking.get(1) + " ask two questions; leave one out.");
        }
        final String option = !asking.isEmpty() ? asking.get(0) :
            values.containsKey(REQUEST) ? REQUEST : values.containsKey(RANK) ? RANK : null;
        final String subject = subject(option);
        for (final String filter : List.of(REQUEST, RANK))
        {
            if (values.containsKey(filter))
            {
                options.add(filter + "=" + values.get(filter));
            }
        }
        if (words.isEmpty())
        {
            throw new ConfigException("a JOURNAL is missing; see 'signalbox inspect --help'.");
        }
        final List<String> today = new ArrayList<>(List.of("inspect", question(option)));
        today.addAll(options);
        today.add("--");
        today.addAll(words);
        today.addAll(subject == null ? List.of() : List.of(subject));
        return today;
    }

    private static String question(final String option)
    {
        return option == null ? "run" : option.equals(REQUEST) ? "request" : option.equals(RANK) ? "rank" :
            FLAGS.getOrDefault(option, ABOUT.get(option));
    }

    /** What the question is about, which is then no option any more; {@code null} if it is about the whole run. */
    private String subject(final String option)
    {
        if ("--steps".equals(option) || "--blocks".equals(option))
        {
            if (!values.containsKey(REQUEST))
            {
                throw new ConfigException(option + " is about one request; add --request=ID.");
            }
            options.add("--show=" + option.substring(2));
            return values.remove(REQUEST);
        }
        final String subject = option == null || FLAGS.containsKey(option) ? null : values.remove(option);
        return "--at".equals(option) ? AskedMoment.RECORD + subject : subject;
    }
}
