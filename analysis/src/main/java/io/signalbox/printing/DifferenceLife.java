// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.ConfigException;
import io.signalbox.inspect.BlockQuery;
import io.signalbox.inspect.RequestInspection;
import io.signalbox.inspect.RequestInspector;
import io.signalbox.journal.Difference;
import io.signalbox.journal.ReadProgress;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayDeque;

/** The lives of the request and of the block that a difference concerns, up to the difference. */
public final class DifferenceLife
{
    private static final int MOST_EVENTS = 20;
    private static final String ROW = "%12s  %-20s  %10s  %6s  %6s  %8s  %s%n";

    private final Difference difference;
    /** {@code null} if the difference names no request that the journal has. */
    private final RequestInspection request;
    /** The latest events of the block, as rows of a {@link BlockQuery}. */
    private final ArrayDeque<Object[]> block = new ArrayDeque<>();
    private long blockEvents;

    private DifferenceLife(final Difference difference, final RequestInspection request)
    {
        this.difference = difference;
        this.request = request;
    }

    /** Reads the journal up to the difference again. */
    public static DifferenceLife read(final Path journal, final Difference difference, final ReadProgress progress)
    {
        final RequestInspection inspection = difference.requestId() < 0 ? null :
            RequestInspector.inspectTo(journal, difference.requestId(), difference.sequence(), progress);
        final DifferenceLife life =
            new DifferenceLife(difference, inspection == null || inspection.lives().isEmpty() ? null : inspection);
        if (difference.blockId() >= 0 && difference.rank() >= 0)
        {
            life.readBlock(journal, progress);
        }
        return life;
    }

    private void readBlock(final Path journal, final ReadProgress progress)
    {
        try
        {
            BlockQuery.ofBlock(difference.rank(), (int)difference.blockId())
                .runTo(journal, difference.sequence(), this::onBlockEvent, progress);
        }
        catch (final ConfigException e)
        {
            // The recorded message names a rank or a block that the run lacks, which is the difference: it has no life.
            block.clear();
        }
    }

    private void onBlockEvent(final Object... values)
    {
        blockEvents++;
        block.add(values);
        if (block.size() > MOST_EVENTS)
        {
            block.remove();
        }
    }

    void print(final PrintStream out)
    {
        if (!block.isEmpty())
        {
            out.printf("%nBlock %s of rank %s up to there, as recorded%s:%n%n", difference.blockId(), difference.rank(),
                blockEvents > block.size() ? ", the last " + block.size() + " of " + Decimals.grouped(blockEvents) +
                    " events" : "");
            out.printf(ROW, "time, s", "event", "request", "index", "issue", "step", "");
        }
        for (final Object[] event : block)
        {
            out.printf(ROW, Decimals.text((long)event[0] / 1e9, 6), event[3],
                number(event[4]), number(event[5]), number(event[6]), number(event[7]),
                event[8] == null ? "" : Printable.text((String)event[8]));
        }
        if (request != null)
        {
            out.printf("%nRequest %s up to there, as recorded:%n%n", difference.requestId());
            InspectionText.printLives(out, request);
        }
    }

    private static String number(final Object value)
    {
        return value == null ? "" : Decimals.grouped((Long)value);
    }

    void write(final JsonGenerator json) throws IOException
    {
        json.writeNumberField("blockEventCount", blockEvents);
        json.writeArrayFieldStart("blockEvents");
        for (final Object[] event : block)
        {
            json.writeStartObject();
            Json.decimal(json, "seconds", Decimals.seconds((long)event[0]));
            json.writeStringField("event", (String)event[3]);
            writeNumber(json, "request", event[4]);
            writeNumber(json, "index", event[5]);
            writeNumber(json, "issue", event[6]);
            writeNumber(json, "step", event[7]);
            json.writeStringField("detail", (String)event[8]);
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("requestLives");
        if (request != null)
        {
            InspectionJson.lives(json, request);
        }
        json.writeEndArray();
    }

    private static void writeNumber(final JsonGenerator json, final String name, final Object value) throws IOException
    {
        if (value == null)
        {
            json.writeNullField(name);
        }
        else
        {
            json.writeNumberField(name, (Long)value);
        }
    }
}
