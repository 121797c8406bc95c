// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonName;
import io.signalbox.event.CommitView;
import io.signalbox.event.CompletionView;
import io.signalbox.event.codec.RowForm;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RowCheck;
import io.signalbox.journal.JournalReader;
import io.signalbox.state.RunStep;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Counts tokens that were routed to experts, of the rows of committed steps: for one expert per layer and interval, or for
 * all experts of a time window, those with the most tokens of a layer first. Rows that are missing do not count.
 */
public final class ExpertQuery extends JournalQuery
{
    private static final int ALL = -1;
    /** Rows that are checked at once; with a row that is missing among them, more than once. */
    private static final int CHECKED_ROWS = 64;

    private final int expert;
    private final long intervalNanos;
    private final TimeWindow window;
    private ModelShape shape;
    private RowCheck check;
    /** By layer and expert. */
    private long[] counts;
    private long rowsCounted;
    private long rowsMissing;
    private long intervalStart;
    private DirectBuffer rows;
    private int rowsOffset;
    private int rowCount;

    /**
     * A row of {@code inspect expert JOURNAL ID --json}: an interval and a layer of one expert.
     *
     * @param fromNanos    logical time at which the interval begins
     * @param layer        layer of the model
     * @param tokens       tokens that were routed to the expert
     * @param timesTheMean these tokens over the mean of the layer's experts
     */
    @DocumentSchema("signalbox.inspect-expert/2")
    public record ExpertRow(@JsonName("fromSeconds") long fromNanos, int layer, long tokens, double timesTheMean)
    {
    }

    /**
     * A row of {@code inspect experts JOURNAL --json}: an expert of a layer, the busiest first.
     *
     * @param layer        layer of the model
     * @param expert       the expert
     * @param tokens       tokens that were routed to it
     * @param timesTheMean these tokens over the mean of the layer's experts
     */
    @DocumentSchema("signalbox.inspect-experts/1")
    public record HotExpertRow(int layer, int expert, long tokens, double timesTheMean)
    {
    }

    private ExpertQuery(final int expert, final long intervalNanos, final TimeWindow window)
    {
        this.expert = expert;
        this.intervalNanos = intervalNanos;
        this.window = window;
    }

    /** Tokens of one expert over time, per layer; intervals without tokens are left out. */
    public static ExpertQuery of(final int expert, final long intervalNanos, final TimeWindow window)
    {
        return new ExpertQuery(expert, intervalNanos, window);
    }

    /** All experts, the busiest ones of any layer first. */
    public static ExpertQuery all(final TimeWindow window)
    {
        return new ExpertQuery(ALL, Long.MAX_VALUE, window);
    }

    @Override
    public Long missingRows()
    {
        return rowsMissing;
    }

    @Override
    boolean needsAll()
    {
        return false;
    }

    @Override
    public Class<? extends Record> rowType()
    {
        return expert == ALL ? HotExpertRow.class : ExpertRow.class;
    }

    /** @throws NoRowsException if the run captured no rows, or has no such expert. */
    @Override
    void begin(final JournalReader journal)
    {
        shape = journal.shape();
        if (shape == null)
        {
            throw new NoRowsException("its run captured no rows of routed experts");
        }
        if (expert >= shape.experts())
        {
            throw new NoRowsException("its layers have " + shape.experts() + " experts, 0 to " + (shape.experts() - 1));
        }
        check = new RowCheck(shape);
        counts = new long[shape.moeLayers() * shape.experts()];
    }

    @Override
    void beginGroup()
    {
        rowCount = 0;
        if (expert != ALL && Math.floorDiv(nowNanos(), intervalNanos) * intervalNanos != intervalStart)
        {
            finish();
            intervalStart = Math.floorDiv(nowNanos(), intervalNanos) * intervalNanos;
        }
    }

    @Override
    public void onCompletion(final CompletionView completion)
    {
        if (completion.rowCount() > 0 && window.has(nowNanos()))
        {
            final boolean inline = completion.rowForm() == RowForm.INLINE;
            rows = inline ? completion.buffer() : chunkedRows();
            rowsOffset = inline ? completion.rowsOffset() : 0;
            rowCount = rows == null ? 0 : completion.rowCount();
        }
    }

    /** A completion without a Commit came too late: its rows are nobody's. */
    @Override
    public void onLanded(final RunStep landed, final CommitView step)
    {
        for (int from = 0; from < rowCount; from += CHECKED_ROWS)
        {
            count(from, Math.min(from + CHECKED_ROWS, rowCount));
        }
        rowCount = 0;
    }

    /** @throws IllegalArgumentException if a row is not marked as missing, and no expert router can have chosen it. */
    private void count(final int from, final int end)
    {
        int row = from;
        while (row < end)
        {
            final int unsound = check.firstUnsound(rows, rowsOffset, row, end);
            rowsCounted += unsound - row;
            for (; row < unsound; row++)
            {
                count(rowsOffset + row * shape.rowBytes());
            }
            rowsMissing += row < end ? 1 : 0;
            if (row < end && !RowCheck.isMarked(shape, rows, rowsOffset + row * shape.rowBytes()))
            {
                throw new IllegalArgumentException("row " + row + " names experts that no expert router can have chosen");
            }
            row++;
        }
    }

    private void count(final int start)
    {
        if (shape.idBytes() == Byte.BYTES)
        {
            countBytes(start);
            return;
        }
        int at = start;
        for (int layerStart = 0; layerStart < counts.length; layerStart += shape.experts())
        {
            for (int k = 0; k < shape.topK(); k++)
            {
                counts[layerStart + id(at)]++;
                at += shape.idBytes();
            }
        }
    }

    private void countBytes(final int start)
    {
        final int layers = counts.length;
        final int topK = shape.topK();
        final int experts = shape.experts();
        int at = start;
        for (int layerStart = 0; layerStart < layers; layerStart += experts)
        {
            for (int end = at + topK; at < end; at++)
            {
                counts[layerStart + (rows.getByte(at) & 0xFF)]++;
            }
        }
    }

    private int id(final int at)
    {
        return shape.idBytes() == Short.BYTES ?
            rows.getShort(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF : rows.getInt(at, ByteOrder.LITTLE_ENDIAN);
    }

    private double timesTheMean(final long tokens)
    {
        return tokens / ((double)rowsCounted * shape.topK() / shape.experts());
    }

    @Override
    void finish()
    {
        if (rowsCounted > 0)
        {
            if (expert == ALL)
            {
                hottest();
            }
            else
            {
                layers();
            }
        }
        Arrays.fill(counts, 0);
        rowsCounted = 0;
    }

    private void layers()
    {
        for (int layer = 0; layer < shape.moeLayers(); layer++)
        {
            final long tokens = counts[layer * shape.experts() + expert];
            row(new ExpertRow(intervalStart, shape.layerId(layer), tokens, timesTheMean(tokens)));
        }
    }

    private void hottest()
    {
        IntStream.range(0, counts.length).boxed()
            .sorted(Comparator.<Integer>comparingLong(place -> -counts[place]).thenComparingInt(place -> place))
            .forEach(place -> row(new HotExpertRow(shape.layerId(place / shape.experts()),
                place % shape.experts(), counts[place], timesTheMean(counts[place]))));
    }
}
