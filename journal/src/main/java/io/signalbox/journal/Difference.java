// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.router.DpRouterProvider;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The first group of a journal that the scheduler now decides differently.
 *
 * @param sequence    sequence number of the group's record.
 * @param message     index of the first message that differs; 0 is the input.
 * @param recorded    that message as the journal has it; a note if it has none.
 * @param recomputed  that message as the scheduler decides it now; a note if it has none.
 * @param requestId   the request concerned; -1 if the place of the difference names none.
 * @param blockId     the KV block concerned; -1 if the place of the difference names none.
 * @param recordedGroup   the whole group as the journal has it, one line per message.
 * @param recomputedGroup the whole group as decided now, one line per message.
 * @param groupBefore the group ahead of it, on which both agree; empty if it is the first.
 * @param thrown      whether the scheduler cannot apply the input at all; {@code recomputed} then says why.
 * @param router      label and version of the router, if the message is its placement or the digest of its state alone;
 *     else {@code null}.
 */
public record Difference(
    long sequence,
    int message,
    String recorded,
    String recomputed,
    long requestId,
    long blockId,
    String recordedGroup,
    String recomputedGroup,
    String groupBefore,
    boolean thrown,
    String router)
{
    /**
     * The values of both sides.
     *
     * @param left  value of the first journal, or the recorded value; {@code null} if there is none
     * @param right value of the second journal, or the value now; {@code null} if there is none
     */
    public record Values(String left, String right)
    {
    }

    /**
     * The message that differs, field by field.
     *
     * @param values  by name, in their order: those that differ, and all outside of repeating groups; left is recorded.
     * @param omitted fields that differ and are not among them, because there are too many.
     */
    public record Fields(Map<String, Values> values, long omitted)
    {
    }

    private static final int MOST_FIELDS = 60;
    private static final String NOTHING = "(no such message)";
    private static final String PLACED = "[Placed]";
    private static final String ROUTER_DIGEST = "routerDigest";
    /** Fields that depend on the values of tokens. */
    private static final Pattern OF_TOKENS =
        Pattern.compile("^(tokens|hashChain|blockHashes|stopTokens|logprobs|detail)|\\.blockHash$");
    private static final Pattern REQUEST = Pattern.compile("requestId=(-?\\d+)");
    private static final Pattern BLOCK = Pattern.compile("blockId=(-?\\d+)");

    public static Difference between(
        final long sequence, final List<String> recorded, final List<String> recomputed, final List<String> before)
    {
        int message = 0;
        while (message < recorded.size() && message < recomputed.size() &&
            recorded.get(message).equals(recomputed.get(message)))
        {
            message++;
        }
        return at(message, sequence, recorded, recomputed, before);
    }

    /** The difference of two groups at the message with this index. */
    public static Difference at(
        final int message, final long sequence, final List<String> recorded, final List<String> recomputed,
        final List<String> before)
    {
        final String left = message < recorded.size() ? recorded.get(message) : NOTHING;
        final String right = message < recomputed.size() ? recomputed.get(message) : NOTHING;
        final String concerned = left.equals(NOTHING) ? right : left;
        final int at = Math.min(firstDifference(left, right), concerned.length());
        return new Difference(sequence, message, left, right, nearest(REQUEST, concerned, at),
            nearest(BLOCK, concerned, at), text(recorded), text(recomputed), text(before), false, null);
    }

    /** The same difference, of an input that the scheduler cannot apply. */
    Difference withThrown()
    {
        return new Difference(sequence, message, recorded, recomputed, requestId, blockId, recordedGroup, recomputedGroup,
            groupBefore, true, null);
    }

    /** The same difference; names the router if the message that differs is its own. */
    Difference withRouter(final DpRouterProvider provider)
    {
        return !isOfTheRouter() ? this : new Difference(sequence, message, recorded, recomputed, requestId, blockId,
            recordedGroup, recomputedGroup, groupBefore, thrown, provider.label() + ", version " + provider.version());
    }

    private boolean isOfTheRouter()
    {
        if (recorded.startsWith(PLACED) || recomputed.startsWith(PLACED))
        {
            return true;
        }
        final Set<String> different = new TreeSet<>();
        fields().values().forEach((name, both) ->
        {
            if (both.left() == null || !both.left().equals(both.right()))
            {
                different.add(name);
            }
        });
        return different.equals(Set.of(ROUTER_DIGEST));
    }

    /** Whose decision differs. */
    String decider()
    {
        return router == null ? "the scheduler" : "the router " + router + ",";
    }

    /** The fields of the message on both sides. */
    public Fields fields()
    {
        return fields(false);
    }

    /** @param withheld whether fields that depend on the values of tokens are left out. */
    public Fields fields(final boolean withheld)
    {
        final Map<String, String> was = MessageFields.of(recorded);
        final Map<String, String> is = MessageFields.of(recomputed);
        final LinkedHashMap<String, String> names = new LinkedHashMap<>(was);
        is.forEach(names::putIfAbsent);
        final Map<String, Values> values = new LinkedHashMap<>();
        long omitted = 0;
        for (final String name : names.keySet())
        {
            if (withheld && OF_TOKENS.matcher(name).find())
            {
                continue;
            }
            final Values both = new Values(was.get(name), is.get(name));
            final boolean differs = both.left() == null || !both.left().equals(both.right());
            if (differs && values.size() >= MOST_FIELDS)
            {
                omitted++;
            }
            else if (differs || !name.contains("["))
            {
                values.put(name, both);
            }
        }
        return new Fields(values, omitted);
    }

    /** The rank that the message names; -1 if it names none. */
    public int rank()
    {
        final Map<String, String> was = MessageFields.of(recorded.equals(NOTHING) ? recomputed : recorded);
        return Integer.parseInt(was.getOrDefault("rank", "-1"));
    }

    private static String text(final List<String> lines)
    {
        return String.join(System.lineSeparator(), lines);
    }

    private static int firstDifference(final String left, final String right)
    {
        int index = 0;
        while (index < left.length() && index < right.length() && left.charAt(index) == right.charAt(index))
        {
            index++;
        }
        return index;
    }

    /** The id named last ahead of the difference, or in the value that differs, or else first behind it. */
    private static long nearest(final Pattern pattern, final String text, final int at)
    {
        long id = -1;
        final Matcher matcher = pattern.matcher(text);
        while (matcher.find())
        {
            if (matcher.start() <= at || id == -1)
            {
                id = Long.parseLong(matcher.group(1));
            }
        }
        return id;
    }
}
