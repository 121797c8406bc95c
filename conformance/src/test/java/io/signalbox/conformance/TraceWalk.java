// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Walks the records of a file, trace by trace: sees to it that none is missing, and makes one divergence of whatever goes
 * wrong at a record. The rest of a trace that diverged cannot be compared and is passed over.
 */
final class TraceWalk
{
    private static final int SHOWN_CHARACTERS = 200;

    /** Receives the records of a trace. */
    interface Replay
    {
        void begin(TraceRecord init);

        void next(TraceRecord record);

        /** Behind the last record of a trace; throws if the trace cannot end there. */
        void end();
    }

    private final String number;
    private final boolean isInitNumbered;
    private final Replay replay;
    private final List<String> divergences = new ArrayList<>();
    private final Set<Long> begun = new TreeSet<>();
    private JsonNode trace;
    private String place;
    private boolean diverged;
    private boolean started;
    private long nextNumber;
    private int compared;

    /**
     * @param number         the field that counts the records of a trace from 0.
     * @param isInitNumbered whether it counts the {@code init} record as well.
     */
    TraceWalk(final String number, final boolean isInitNumbered, final Replay replay)
    {
        this.number = number;
        this.isInitNumbered = isInitNumbered;
        this.replay = replay;
    }

    void walk(final JsonNode header, final Iterable<JsonNode> records)
    {
        int index = 0;
        for (final JsonNode record : records)
        {
            visit(record, ++index);
        }
        end();
        final JsonNode traces = header.path("traces");
        if (!traces.isMissingNode() && !(traces.canConvertToLong() && traces.longValue() == begun.size()))
        {
            divergences.add("the header says that there are " + traces + " traces, but " + begun.size() + " begin here");
        }
    }

    Outcome outcome(final List<String> remarks)
    {
        return new Outcome(compared, divergences.size(), divergences.isEmpty() ? null : divergences.get(0), remarks);
    }

    private void visit(final JsonNode node, final int index)
    {
        if (!node.path("t").equals(trace))
        {
            end();
            trace = node.path("t");
            diverged = false;
            started = false;
        }
        else if (diverged)
        {
            return;
        }
        compared++;
        place = place(node, index);
        try
        {
            advance(TraceRecord.of(node));
        }
        // Whatever is thrown is a difference as well: the original continued, or failed in another way.
        catch (final RuntimeException | AssertionError e)
        {
            diverged(place, e);
        }
    }

    private void advance(final TraceRecord record)
    {
        final boolean isInit = record.text("op").equals("init");
        Divergence.check("the trace begins here, and here only, with an init", !started, isInit);
        if (isInit)
        {
            Divergence.check("the trace is new", true, begun.add(record.number("t")));
            started = true;
            nextNumber = 0;
        }
        if (!isInit || isInitNumbered)
        {
            Divergence.check(number, nextNumber++, record.number(number));
        }
        if (isInit)
        {
            replay.begin(record);
        }
        else
        {
            replay.next(record);
        }
    }

    private void end()
    {
        if (started && !diverged)
        {
            try
            {
                replay.end();
            }
            catch (final RuntimeException | AssertionError e)
            {
                diverged(place + ", the last of its trace", e);
            }
        }
    }

    private void diverged(final String where, final Throwable e)
    {
        diverged = true;
        divergences.add(where + ": " + (e instanceof Divergence ? e.getMessage() : "failed with " + e));
    }

    private String place(final JsonNode node, final int index)
    {
        final StringBuilder text = new StringBuilder();
        text.append(node.has("t") ? "trace " + node.get("t") : "record " + index + " behind the header");
        if (node.has(number))
        {
            text.append(number.equals("step") ? ", step " : ", record ").append(node.get(number));
        }
        if (node.has("args"))
        {
            final String args = node.get("args").toString();
            text.append(", ").append(node.path("op").asText()).append(' ')
                .append(args.length() <= SHOWN_CHARACTERS ? args : args.substring(0, SHOWN_CHARACTERS) + "...");
        }
        return text.toString();
    }
}
