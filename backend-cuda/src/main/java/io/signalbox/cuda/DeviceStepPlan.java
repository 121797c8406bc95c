// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.PlanRows;
import io.signalbox.event.codec.ScheduleDecoder;

/** The part of a step plan that the device needs, out of the track's slot, which is used again once the call returns. */
final class DeviceStepPlan
{
    private final long[] requestIds;
    private final int[] positions;
    private final int[] lastTokens;
    private long step;
    private int epoch;
    private int tokens;
    private int rows;

    /** @param maxTokens the most tokens, and so the most rows, of one step. */
    DeviceStepPlan(final int maxTokens)
    {
        requestIds = new long[maxTokens];
        positions = new int[maxTokens];
        lastTokens = new int[maxTokens];
    }

    /** @param plan groups not yet read. */
    void read(final ScheduleDecoder plan)
    {
        step = plan.step();
        epoch = plan.epoch();
        tokens = 0;
        rows = 0;
        if (plan.tokens() > positions.length)
        {
            throw new InvariantViolation("step " + step + " of rank " + plan.rank() + " has " + plan.tokens() +
                " tokens; the backend was built for steps of " + positions.length);
        }
        for (final ScheduleDecoder.RowsDecoder row : PlanRows.of(plan))
        {
            addRow(row.requestId(), row.start(), row.tokenCount());
        }
    }

    private void addRow(final long requestId, final int start, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            requestIds[tokens] = requestId;
            positions[tokens] = start + i;
            tokens++;
        }
        lastTokens[rows] = tokens - 1;
        rows++;
    }

    long step()
    {
        return step;
    }

    int epoch()
    {
        return epoch;
    }

    int tokens()
    {
        return tokens;
    }

    /** Rows of the plan, each of which samples one token. */
    int rows()
    {
        return rows;
    }

    long requestId(final int token)
    {
        return requestIds[token];
    }

    int position(final int token)
    {
        return positions[token];
    }

    /** Index of the last token of a row. */
    int lastToken(final int row)
    {
        return lastTokens[row];
    }
}
