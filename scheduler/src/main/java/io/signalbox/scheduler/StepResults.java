// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
import io.signalbox.batch.StepPlan;
import io.signalbox.event.RowsChecksum;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.RowForm;
import io.signalbox.experts.ModelShape;
import org.agrona.DirectBuffer;

/** The results of one step from its {@code D2hComplete}, checked against the plan of the step. */
final class StepResults
{
    private final ModelShape capture;
    private final RowsChecksum checksum = new RowsChecksum();
    private int[] sampledTokens = new int[16];
    private DirectBuffer rows;
    private int rowsOffset;

    /** @param capture null if capture is off. */
    StepResults(final ModelShape capture)
    {
        this.capture = capture;
    }

    /** @throws InvariantViolation if the results do not fit the plan. */
    void read(
        final D2hCompleteDecoder input, final StepPlan plan, final DirectBuffer chunkedRows, final int chunkedOffset)
    {
        final RowForm rowForm = input.rowForm();
        checkRows(plan, rowForm, input.rowCount(), input.rowBytes());
        readSampledTokens(input, plan);
        if (capture == null)
        {
            rows = null;
            return;
        }
        final boolean chunked = rowForm == RowForm.CHUNKED;
        rows = chunked ? chunkedRows : input.buffer();
        rowsOffset = chunked ? chunkedOffset : input.limit() + D2hCompleteDecoder.rowsHeaderLength();
        checkBytes(input, plan, chunked);
    }

    private void checkBytes(final D2hCompleteDecoder input, final StepPlan plan, final boolean chunked)
    {
        final int length = plan.tokens() * capture.rowBytes();
        final int present = !chunked ? input.rowsLength() : rows == null ? 0 : rows.capacity() - rowsOffset;
        if (present < length)
        {
            throw new InvariantViolation("step " + plan.step() + " has " + length + " bytes of routed-expert rows but " +
                present + " came with its completion");
        }
        if (checksum.of(rows, rowsOffset, length) != input.rowsChecksum())
        {
            throw new InvariantViolation("the routed-expert rows of step " + plan.step() + " do not match their checksum");
        }
    }

    private void checkRows(final StepPlan plan, final RowForm rowForm, final int rowCount, final int rowBytes)
    {
        final boolean complete = capture == null ? rowForm == RowForm.NONE :
            rowForm != RowForm.NONE && rowCount == plan.tokens() && rowBytes == capture.rowBytes();
        if (!complete)
        {
            throw new InvariantViolation("step " + plan.step() + " computes " + plan.tokens() +
                " tokens but its completion brings " + rowCount + " routed-expert rows of " + rowBytes +
                " bytes in the form " + rowForm);
        }
    }

    private void readSampledTokens(final D2hCompleteDecoder input, final StepPlan plan)
    {
        final D2hCompleteDecoder.SampledDecoder sampled = input.sampled();
        final int count = sampled.count();
        if (count != plan.entryCount())
        {
            throw new InvariantViolation("step " + plan.step() + " has " + plan.entryCount() +
                " entries but its completion brings " + count + " sampled tokens");
        }
        if (count > sampledTokens.length)
        {
            sampledTokens = new int[2 * count];
        }
        for (int i = 0; i < count; i++)
        {
            sampledTokens[i] = sampled.next().tokenId();
        }
    }

    /** One per entry of the plan. */
    int[] sampledTokens()
    {
        return sampledTokens;
    }

    /** The rows, one per token of the plan; null if capture is off. */
    DirectBuffer rows()
    {
        return rows;
    }

    int rowsOffset()
    {
        return rowsOffset;
    }
}
