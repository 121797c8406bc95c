// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.ConfigException;
import io.signalbox.inspect.BlockQuery;
import io.signalbox.inspect.BlockRow;
import io.signalbox.inspect.RequestInspection;
import io.signalbox.inspect.RequestInspector;
import io.signalbox.journal.Difference;
import io.signalbox.journal.ReadProgress;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;

/** The lives of the request and of the block that a difference concerns, up to the difference. */
public final class DifferenceLife
{
    private static final int MOST_EVENTS = 20;
    private static final String ROW = "%12s  %-20s  %10s  %6s  %6s  %8s  %s%n";

    private final Difference difference;
    /** {@code null} if the difference names no request that the journal has. */
    private final RequestInspection request;
    /** The latest events of the block. */
    private final ArrayDeque<BlockRow> block = new ArrayDeque<>();
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

    private void onBlockEvent(final Record row)
    {
        blockEvents++;
        block.add((BlockRow)row);
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
        for (final BlockRow event : block)
        {
            out.printf(ROW, Decimals.text(event.timeNanos() / 1e9, 6), event.event(), number(event.request()),
                number(event.index()), number(event.issue()), number(event.step()),
                event.detail() == null ? "" : Printable.text(event.detail()));
        }
        if (request != null)
        {
            out.printf("%nRequest %s up to there, as recorded:%n%n", difference.requestId());
            InspectionText.printLives(out, request);
        }
    }

    private static String number(final Long value)
    {
        return value == null ? "" : Decimals.grouped(value);
    }

    long blockEventCount()
    {
        return blockEvents;
    }

    List<BlockRow> blockEvents()
    {
        return List.copyOf(block);
    }

    List<LifeDocument> requestLives()
    {
        return request == null ? List.of() : LifeDocument.of(request);
    }
}
