// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.OutputCheck;
import io.signalbox.batch.StepOutput;
import io.signalbox.batch.StepPlan;
import io.signalbox.event.CompletionView;
import io.signalbox.event.RowsChecksum;
import io.signalbox.event.codec.RowForm;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.KvBlockAllocator;
import org.agrona.DirectBuffer;

/** The results of one step from its {@code D2hComplete}, checked against the plan of the step. */
final class StepResults implements StepOutput
{
    private final ModelShape capture;
    private final RowsChecksum checksum = new RowsChecksum();
    /** Valid while the input is applied. */
    private CompletionView input;
    /** Copies of what the input says of each entry, because the checks and the commit read it several times. */
    private int[] starts = new int[16];
    private int[] accepted = new int[16];
    private int[] tokens = new int[16];
    private boolean hasLogprobs;
    private DirectBuffer rows;
    private int rowsOffset;

    /** @param capture null if capture is off. */
    StepResults(final ModelShape capture)
    {
        this.capture = capture;
    }

    /** Returns why the results cannot be those of the plan, as a sentence for the journal, or null if they can. */
    String read(
        final CompletionView completion, final StepPlan plan, final DirectBuffer chunkedRows, final int chunkedOffset)
    {
        input = completion;
        String fault = checkTokens(plan);
        fault = fault == null ? readRows(plan, chunkedRows, chunkedOffset) : fault;
        fault = fault == null ? OutputCheck.fault(plan, this) : fault;
        if (fault == null && completion.hasBlockHashes())
        {
            giveHashes(plan);
        }
        return fault == null ? null : "the completion of step " + plan.step() + " " + fault;
    }

    /** Each with the token that fills its block, because the tokens themselves are withheld. */
    private void giveHashes(final StepPlan plan)
    {
        int index = 0;
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            for (int i = 0; i < accepted[entry]; i++)
            {
                final long hash = input.blockHash(index++);
                if (hash > KvBlockAllocator.NO_HASH && plan.isOwned(entry))
                {
                    plan.entryRequest(entry).prefix().give(hash);
                }
            }
        }
    }

    private String checkTokens(final StepPlan plan)
    {
        final int count = input.entryCount();
        if (count != plan.entryCount())
        {
            return "brings " + count + " entries instead of " + plan.entryCount();
        }
        ensureEntries(count);
        final long sum = input.copyEntries(starts, accepted);
        if (sum != input.tokenCount())
        {
            return "accepts " + sum + " tokens but brings " + input.tokenCount();
        }
        hasLogprobs = input.hasLogprobs();
        if (hasLogprobs && input.logprobCount() != sum)
        {
            return "brings " + input.logprobCount() + " log-probabilities for " + sum + " tokens";
        }
        ensureTokens(input.tokenCount());
        return input.copyTokens(tokens) >= 0 ? null :
            "brings the token " + firstNegative() + ", but token ids are not negative";
    }

    private int firstNegative()
    {
        int index = 0;
        while (tokens[index] >= 0)
        {
            index++;
        }
        return tokens[index];
    }

    private void ensureEntries(final int count)
    {
        if (count > starts.length)
        {
            starts = new int[Math.max(count, 2 * starts.length)];
            accepted = new int[starts.length];
        }
    }

    private void ensureTokens(final int count)
    {
        if (count > tokens.length)
        {
            tokens = new int[Math.max(count, 2 * tokens.length)];
        }
    }

    private String readRows(final StepPlan plan, final DirectBuffer chunkedRows, final int chunkedOffset)
    {
        final RowForm form = input.rowForm();
        final boolean complete = capture == null ? form == RowForm.NONE : form != RowForm.NONE &&
            input.rowCount() == plan.tokens() && input.rowBytes() == capture.rowBytes();
        if (!complete)
        {
            return "brings " + input.rowCount() + " routed-expert rows of " + input.rowBytes() + " bytes in the form " +
                form + " for " + plan.tokens() + " tokens";
        }
        rows = null;
        if (capture == null)
        {
            return null;
        }
        final boolean chunked = form == RowForm.CHUNKED;
        rows = chunked ? chunkedRows : input.buffer();
        rowsOffset = chunked ? chunkedOffset : input.rowsOffset();
        return checkBytes(plan, chunked);
    }

    private String checkBytes(final StepPlan plan, final boolean chunked)
    {
        final int length = plan.tokens() * capture.rowBytes();
        final int present = !chunked ? input.rowsLength() : rows == null ? 0 : rows.capacity() - rowsOffset;
        if (present < length)
        {
            return "brings " + present + " of " + length + " bytes of routed-expert rows";
        }
        return checksum.of(rows, rowsOffset, length) == input.rowsChecksum() ? null :
            "brings routed-expert rows that do not match their checksum";
    }

    @Override
    public int start(final int entry)
    {
        return starts[entry];
    }

    @Override
    public int accepted(final int entry)
    {
        return accepted[entry];
    }

    @Override
    public int token(final int index)
    {
        return tokens[index];
    }

    @Override
    public boolean hasLogprobs()
    {
        return hasLogprobs;
    }

    @Override
    public int logprobBits(final int index)
    {
        return input.logprobBits(index);
    }

    @Override
    public DirectBuffer rows()
    {
        return rows;
    }

    @Override
    public int rowsOffset()
    {
        return rowsOffset;
    }

    @Override
    public int impossibleCount()
    {
        return input.impossibleCount();
    }

    @Override
    public int impossibleRow(final int index)
    {
        return input.impossibleRow(index);
    }
}
