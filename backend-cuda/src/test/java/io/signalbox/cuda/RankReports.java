// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Writes down what ranks report, one line per report, and releases rows at once. */
final class RankReports implements CompletionSink
{
    final List<String> lines = new ArrayList<>();
    /** Throws, once, in place of the next report; null: nothing does. */
    Runnable failure;
    boolean closed;
    /** Of the last completion. */
    String entries;

    @Override
    public void forward(
        final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
    {
        report("forward", epoch, rank, step);
    }

    @Override
    public void d2hComplete(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final StepTokens tokens,
        final CaptureSlice rows)
    {
        report("complete", epoch, rank, step);
        entries = "entries " + IntStream.range(0, tokens.entryCount()).map(tokens::start).boxed().toList() +
            " accepting " + IntStream.range(0, tokens.entryCount()).map(tokens::accepted).boxed().toList();
        lines.add("tokens " + IntStream.range(0, tokens.tokenCount()).map(tokens::token).boxed().toList() +
            " rows " + (rows == null ? 0 : rows.rowCount()));
        if (rows != null)
        {
            rows.release();
        }
    }

    @Override
    public void fault(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final StepFault faultClass,
        final String detail)
    {
        report(faultClass + " " + detail, epoch, rank, step);
    }

    private void report(final String what, final int epoch, final int rank, final long step)
    {
        if (closed)
        {
            throw new IllegalStateException("the engine is closed");
        }
        if (failure != null)
        {
            final Runnable once = failure;
            failure = null;
            once.run();
        }
        lines.add("rank " + rank + " epoch " + epoch + " step " + step + " " + what);
    }

    /** Of the reports that answer a step. */
    List<String> answers(final int rank, final long step)
    {
        final String start = "rank " + rank + " epoch " + StepPlans.EPOCH + " step " + step + " ";
        return lines.stream()
            .filter(line -> line.startsWith(start) && !line.endsWith("forward"))
            .map(line -> line.substring(start.length())).toList();
    }
}
