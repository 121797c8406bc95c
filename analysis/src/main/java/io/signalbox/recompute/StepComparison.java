// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

import io.signalbox.event.CompletionView;
import io.signalbox.event.codec.RowForm;
import io.signalbox.experts.ModelShape;
import io.signalbox.recompute.StepDifference.Part;
import org.agrona.DirectBuffer;

/**
 * Compares recorded results with those of a backend, step by step, and counts what it compared. Within a step the entries
 * are compared in batch order, and of an entry its rows before its tokens, which follow from them.
 */
final class StepComparison
{
    private final ModelShape shape;
    private long steps;
    private long tokens;
    private long rows;
    private long missingRows;
    private long sampledTokens;
    private long logprobs;
    private long record;
    private StepName name;
    /** The first one, with the counts that its step has so far. */
    private StepDifference difference;
    private long differentRows;
    private long differentTokens;

    /** @param shape of the captured rows; {@code null}: none were captured. */
    StepComparison(final ModelShape shape)
    {
        this.shape = shape;
    }

    boolean isEqual()
    {
        return difference == null;
    }

    RecomputedRun result(final long uncommitted)
    {
        return new RecomputedRun(steps, tokens, rows, missingRows, sampledTokens, logprobs, uncommitted,
            difference == null ? null : new StepDifference(difference.record(), difference.rank(), difference.step(),
                difference.requestId(), difference.position(), difference.part(), difference.layer(),
                difference.recorded(), difference.recomputed(), differentRows, differentTokens));
    }

    /**
     * Compares one step; the caller stops behind the first one that differs.
     *
     * @param sequence of the record.
     * @param chunked  the rows of the completion, if they are not in the message.
     */
    void compare(
        final long sequence, final RecordedPlan plan, final CompletionView recorded, final DirectBuffer chunked,
        final StepResult result)
    {
        record = sequence;
        name = plan.name();
        steps++;
        final int entries = plan.entries().size();
        if (result.fault() != null)
        {
            differ(-1, -1, Part.STEP, -1, "results", "a fault: " + result.detail());
        }
        else if (recorded.entryCount() != entries || result.starts().length != entries)
        {
            differ(-1, -1, Part.STEP, -1, recorded.entryCount() + " entries", result.starts().length + " entries");
        }
        else
        {
            compareEntries(plan, recorded, rows(recorded, chunked, result), result);
        }
    }

    /** {@code null} if the record has none. */
    private RowPair rows(final CompletionView recorded, final DirectBuffer chunked, final StepResult result)
    {
        if (shape == null || recorded.rowCount() == 0)
        {
            return null;
        }
        return recorded.rowForm() == RowForm.INLINE
            ? new RowPair(shape, recorded.buffer(), recorded.rowsOffset(), result.rows())
            : new RowPair(shape, chunked, 0, result.rows());
    }

    private void compareEntries(
        final RecordedPlan plan, final CompletionView recorded, final RowPair pair, final StepResult result)
    {
        int row = 0;
        int token = 0;
        int tokenNow = 0;
        for (int i = 0; i < plan.entries().size(); i++)
        {
            final RecordedPlan.Entry entry = plan.entries().get(i);
            final int start = recorded.start(i);
            final int accepted = recorded.accepted(i);
            final int computed = entry.computed(start, accepted);
            tokens += computed;
            sampledTokens += accepted;
            if (start != result.starts()[i] || accepted != result.accepted()[i])
            {
                differ(entry.requestId(), start, Part.ENTRY, -1, text(start, accepted),
                    text(result.starts()[i], result.accepted()[i]));
            }
            else
            {
                for (int k = 0; pair != null && k < computed; k++)
                {
                    compareRow(entry.requestId(), start + k, pair, row + k);
                }
                for (int k = 0; k < accepted; k++)
                {
                    compareToken(entry.requestId(), start + entry.count() - entry.drafts() + k,
                        recorded, token + k, result, tokenNow + k);
                }
            }
            row += entry.count();
            token += accepted;
            tokenNow += result.accepted()[i];
        }
    }

    private static String text(final int start, final int accepted)
    {
        return "position " + start + " with " + accepted + " sampled";
    }

    private void compareRow(final long requestId, final int position, final RowPair pair, final int row)
    {
        if (pair.isMissing(row))
        {
            missingRows++;
            return;
        }
        rows++;
        final boolean isAbsent = pair.isAbsentNow(row);
        final int layer = isAbsent ? 0 : pair.firstDifferentLayer(row);
        if (layer < 0)
        {
            return;
        }
        differentRows++;
        if (isAbsent || !pair.hasEqualIds(row, layer))
        {
            differ(requestId, position, Part.EXPERTS, shape.layerId(layer), pair.recordedIds(row, layer),
                isAbsent ? "no row" : pair.idsNow(row, layer));
            return;
        }
        differ(requestId, position, Part.COMBINE_WEIGHTS, shape.layerId(layer), pair.recordedWeights(row, layer),
            pair.weightsNow(row, layer));
    }

    private void compareToken(
        final long requestId, final int position, final CompletionView recorded, final int index, final StepResult result,
        final int indexNow)
    {
        final int token = recorded.token(index);
        final int tokenNow = result.tokens()[indexNow];
        final float logprob =
            recorded.hasLogprobs() ? Float.intBitsToFloat(recorded.logprobBits(index)) : Float.NaN;
        final float logprobNow = result.logprobs()[indexNow];
        logprobs += Float.isNaN(logprob) ? 0 : 1;
        if (token != tokenNow)
        {
            differentTokens++;
            differ(requestId, position, Part.TOKEN, -1, Integer.toString(token), Integer.toString(tokenNow));
        }
        else if (!Float.isNaN(logprob) && Float.floatToIntBits(logprob) != Float.floatToIntBits(logprobNow))
        {
            differ(requestId, position, Part.LOGPROB, -1, Float.toString(logprob), Float.toString(logprobNow));
        }
    }

    private void differ(
        final long requestId, final int position, final Part part, final int layer, final String recorded,
        final String recomputed)
    {
        if (difference == null)
        {
            difference = new StepDifference(
                record, name.rank(), name.step(), requestId, position, part, layer, recorded, recomputed, 0, 0);
        }
    }
}
