// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.inspect.BlockQuery;
import io.signalbox.inspect.EventFilter;
import io.signalbox.inspect.EventQuery;
import io.signalbox.inspect.ExpertQuery;
import io.signalbox.inspect.JournalQuery;
import io.signalbox.inspect.RankQuery;
import io.signalbox.inspect.RequestFilter;
import io.signalbox.inspect.RequestQuery;
import io.signalbox.inspect.StepQuery;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The questions of {@code inspect} whose answers are tables, and their filters. */
public final class QueryOptions extends WindowOptions
{
    private static final List<String> ENDS =
        List.of("length", "stop", "cancelled", "deadline", "failed", "new-weights", "refused", "unfinished");
    /** The messages of groups, by the names of the schema. */
    static final List<String> MESSAGES = List.of("Submit", "Cancel", "Control", "Wake", "Tick", "Forward",
        "D2hComplete", "BackendFault", "StepTimedOut", "BackendReset", "Accepted", "Refused", "Placed", "Schedule", "Commit",
        "Free", "Digest", "Requeued", "Withdrawn", "NewWeights", "Paused", "Continued");
    /** Tables whose rows are known one after the other. */
    private static final List<String> FOLLOWED =
        List.of("--events", "--requests", "--steps", "--blocks", "--block", "--rank", "--expert");
    private static final Pattern BLOCK = Pattern.compile("(\\d{1,9}):(\\d{1,9})");
    private static final int MOST_SLOWEST = 1_000_000;
    private static final double LEAST_EVERY_SECONDS = 1e-9;

    @Option(names = "--requests", description = "List requests, in the order in which they ended.")
    private boolean requests;

    @Option(names = "--steps", description = "With --request: list its steps.")
    private boolean steps;

    @Option(names = "--blocks", description = "With --request: list its KV blocks, shared ones included.")
    private boolean blocks;

    @Option(names = "--block", paramLabel = "RANK:BLOCK", description = "List the owners of a KV block over time.")
    private String block;

    @Option(names = "--rank", paramLabel = "RANK",
        description = "List the figures of a rank over time. With --requests, --events or a moment: list those " +
            "of the rank.")
    private Integer rank;

    @Option(names = "--expert", paramLabel = "ID", description = "List the tokens of an expert per layer over time.")
    private Integer expert;

    @Option(names = "--experts", description = "List all experts, the busiest first.")
    private boolean experts;

    @Option(names = "--events", description = "List messages with all fields.")
    private boolean events;

    @Option(names = "--follow",
        description = "With a table whose rows come in the order of time: continue until the journal is no longer " +
            "written; once a second, list what is new.")
    private boolean follows;

    @Option(names = "--slowest", paramLabel = "N", description = "With --requests: list the N that took longest.")
    private Integer slowest;

    @Option(names = "--preempted", description = "With --requests: list those that were preempted.")
    private boolean preempted;

    @Option(names = "--end", paramLabel = "END",
        description = "With --requests: list those that ended so: length, stop, cancelled, deadline, failed, new-weights, " +
            "refused or unfinished.")
    private String end;

    @Option(names = "--of-conversation", paramLabel = "ID", description = "With --requests: list those of a conversation.")
    private Long conversation;

    @Option(names = "--message", paramLabel = "NAME", split = ",",
        description = "With --events: list these messages of the schema, such as Commit,Free.")
    private List<String> messages = List.of();

    @Option(names = "--record", paramLabel = "RECORD", description = "With --events: list the group of a record.")
    private Long record;

    @Option(names = "--every", paramLabel = "SECONDS",
        description = "With --rank or --expert: list a row per interval of this length (default: 10.0).")
    private Double everySeconds;

    /** A question and the name of its JSON document. */
    public record Question(String schema, JournalQuery query)
    {
    }

    /**
     * @param requestId {@code null} if it is not given.
     * @param journal   the journal that is asked.
     * @return {@code null} if no table is asked for.
     * @throws ConfigException if the options contradict one another.
     */
    public Question question(final Long requestId, final Path journal)
    {
        final List<String> asked = asked();
        if (asked.size() > 1)
        {
            throw new ConfigException(asked.get(0) + " and " + asked.get(1) + " ask two questions; leave one out.");
        }
        final String view = asked.isEmpty() ? rank == null ? "" : "--rank" : asked.get(0);
        refuseIdle(view, requestId);
        return switch (view)
        {
            case "--requests" -> new Question("signalbox.inspect-requests/1", new RequestQuery(new RequestFilter(end,
                preempted, rank == null ? -1 : whole("--rank", rank), conversation, window(journal), slowest())));
            case "--steps" -> new Question("signalbox.inspect-steps/1", new StepQuery(requestId));
            case "--blocks" -> new Question("signalbox.inspect-blocks/1", BlockQuery.ofRequest(requestId));
            case "--block" -> block();
            case "--rank" -> new Question(
                "signalbox.inspect-rank/1", new RankQuery(whole("--rank", rank), every(), window(journal)));
            case "--expert" -> new Question(
                "signalbox.inspect-expert/1", ExpertQuery.of(whole("--expert", expert), every(), window(journal)));
            case "--experts" -> new Question("signalbox.inspect-experts/1", ExpertQuery.all(window(journal)));
            case "--events" -> new Question("signalbox.inspect-events/1", new EventQuery(new EventFilter(names(),
                rank == null ? -1 : whole("--rank", rank), requestId, record, window(journal))));
            default -> null;
        };
    }

    /** Whether the answer continues while the journal is written. */
    public boolean follows()
    {
        return follows;
    }

    private List<String> asked()
    {
        final List<String> asked = new ArrayList<>();
        add(asked, requests, "--requests");
        add(asked, steps, "--steps");
        add(asked, blocks, "--blocks");
        add(asked, block != null, "--block");
        add(asked, expert != null, "--expert");
        add(asked, experts, "--experts");
        add(asked, events, "--events");
        return asked;
    }

    /**
     * The rank to which a question about a moment is limited; -1: all.
     *
     * @param asked the option that asks it.
     * @throws ConfigException if another option has no effect on it.
     */
    public int rankOfMoment(final String asked, final Long requestId)
    {
        final List<String> others = asked();
        if (!others.isEmpty())
        {
            throw new ConfigException(asked + " and " + others.get(0) + " ask two questions; leave one out.");
        }
        refuseIdle(asked, requestId);
        return rank == null ? -1 : whole("--rank", rank);
    }

    private static void add(final List<String> options, final boolean given, final String option)
    {
        if (given)
        {
            options.add(option);
        }
    }

    /** An option that has no effect would look as if it had one. */
    private void refuseIdle(final String view, final Long requestId)
    {
        final Set<String> ofRequests = Set.of("--requests");
        requireKnown("--end", end == null ? List.of() : List.of(end), ENDS);
        requireKnown("--message", messages, MESSAGES);
        refuse(view, slowest != null, "--slowest", ofRequests);
        refuse(view, preempted, "--preempted", ofRequests);
        refuse(view, end != null, "--end", ofRequests);
        refuse(view, conversation != null, "--of-conversation", ofRequests);
        refuse(view, !messages.isEmpty(), "--message", Set.of("--events"));
        refuse(view, record != null, "--record", Set.of("--events"));
        refuseToFollow(view);
        refuse(view, rank != null, "--rank", Set.of("--requests", "--events", "--rank", "--moment", "--at"));
        refuse(view, everySeconds != null, "--every", Set.of("--rank", "--expert"));
        final Set<String> timed = Set.of("--requests", "--events", "--rank", "--expert", "--experts");
        refuse(view, hasFrom(), "--from", timed);
        refuse(view, hasTo(), "--to", timed);
        refuse(view, requestId != null, "--request", Set.of("", "--steps", "--blocks", "--events"));
        if ((steps || blocks) && requestId == null)
        {
            throw new ConfigException(view + " is about one request; add --request=ID.");
        }
    }

    /** A sorted table, a moment and the report are other ones with every group. */
    private void refuseToFollow(final String view)
    {
        if (follows && view.isEmpty())
        {
            throw new ConfigException(
                "--follow is for " + String.join(", ", FOLLOWED) + ", none of which is given; leave it out.");
        }
        if (follows && (slowest != null || !FOLLOWED.contains(view)))
        {
            throw new ConfigException("--follow lists rows as they come, and those of " +
                (slowest != null ? "--slowest" : view) + " are known at the end only; leave one out, or ask again later.");
        }
    }

    private static void refuse(final String view, final boolean given, final String option, final Set<String> views)
    {
        if (given && !views.contains(view))
        {
            throw new ConfigException(option + " is for " + String.join(", ", new TreeSet<>(views)).replaceFirst("^, ", "") +
                (view.isEmpty() ? ", none of which is given" : ", and " + view + " is given") + "; leave it out.");
        }
    }

    /** A misspelt name would find nothing, which looks like an answer. */
    private static void requireKnown(final String option, final List<String> given, final List<String> known)
    {
        for (final String name : given)
        {
            if (!known.contains(name))
            {
                throw new ConfigException(option + "='" + name + "' is not known; give " + String.join(", ", known) + ".");
            }
        }
    }

    private static int whole(final String option, final int number)
    {
        if (number < 0)
        {
            throw new ConfigException(option + "=" + number + " is negative; give 0 or more.");
        }
        return number;
    }

    private int slowest()
    {
        if (slowest != null && (slowest < 1 || slowest > MOST_SLOWEST))
        {
            throw new ConfigException("--slowest=" + slowest + " is not between 1 and " + MOST_SLOWEST + ".");
        }
        return slowest == null ? 0 : slowest;
    }

    private Set<String> names()
    {
        return Set.copyOf(messages);
    }

    private Question block()
    {
        final Matcher place = BLOCK.matcher(block);
        if (!place.matches())
        {
            throw new ConfigException("--block='" + block + "' is no block; give RANK:BLOCK, such as 0:17.");
        }
        return new Question("signalbox.inspect-block/1",
            BlockQuery.ofBlock(Integer.parseInt(place.group(1)), Integer.parseInt(place.group(2))));
    }

    private long every()
    {
        if (everySeconds != null && !(everySeconds >= LEAST_EVERY_SECONDS && everySeconds <= MOST_SECONDS))
        {
            throw new ConfigException("--every=" + everySeconds + " is no interval of 1e-9 to 9e9 seconds; give one.");
        }
        return everySeconds == null ? 10_000_000_000L : nanos("--every", everySeconds);
    }
}
