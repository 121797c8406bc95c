// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;
import io.signalbox.experts.ModelShape;
import org.agrona.DirectBuffer;

import java.util.Arrays;

/**
 * Applies the results of one step. The layout of its plan decides into which pages routed-expert rows are stored, which
 * tokens count as computed, which block hashes are registered, and which request receives each sampled token. Keeps the
 * outcome of each entry and span until the next step is applied.
 */
public final class StepCommit
{
    public static final int NO_TOKEN = -1;

    /** State of an entry's request after the step. */
    public enum Outcome
    {
        CONTINUES,
        STOPPED,
        REACHED_LENGTH,
        /** Cancelled while the step was in flight. */
        OWNER_GONE
    }

    private final int rowBytes;
    private Outcome[] outcomes = new Outcome[16];
    private int[] emittedTokens = new int[16];
    private int[] keptRows = new int[16];
    private int[] alreadyThereRows = new int[16];
    private int registeredCount;
    private int[] registeredBlocks = new int[16];
    private long[] registeredHashes = new long[16];

    /** @param capture the rows of every step, or null if capture is off. */
    public StepCommit(final ModelShape capture)
    {
        rowBytes = capture == null ? 0 : capture.rowBytes();
    }

    /**
     * Applies a step.
     *
     * @param sampledTokens one per entry of the plan.
     * @param rows          one per token of the plan, or null if capture is off.
     */
    public void apply(
        final StepPlan plan,
        final RankBlocks blocks,
        final RankLoad load,
        final int[] sampledTokens,
        final DirectBuffer rows,
        final int rowsOffset)
    {
        registeredCount = 0;
        ensureCapacity(plan);
        int token = 0;
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            final Request request = plan.entryRequest(entry);
            request.inFlight = false;
            if (rowBytes > 0)
            {
                storeRows(plan, entry, blocks, rows, rowsOffset + token * rowBytes);
            }
            token += plan.entryTokens(entry);
            emittedTokens[entry] = NO_TOKEN;
            if (request.isCancelled())
            {
                outcomes[entry] = Outcome.OWNER_GONE;
                continue;
            }
            load.computed(request, plan.entryTokens(entry));
            blocks.register(request, plan.entryStart(entry), plan.entryStart(entry) + plan.entryTokens(entry), this);
            outcomes[entry] = advance(request, entry, sampledTokens[entry]);
        }
    }

    private void storeRows(
        final StepPlan plan, final int entry, final RankBlocks blocks, final DirectBuffer rows, final int rowsOffset)
    {
        int offset = rowsOffset;
        for (int span = plan.firstSpan(entry); span < plan.endSpan(entry); span++)
        {
            final int blockId = plan.spanBlock(span);
            final int tokens = plan.spanTokens(span);
            keptRows[span] = 0;
            alreadyThereRows[span] = 0;
            // The layout attributes rows, not the request: a block with another issue number has another owner.
            if (!plan.entryRequest(entry).isCancelled() && blocks.isIssued(blockId, plan.spanIssue(span)))
            {
                keptRows[span] = blocks.storeRows(blockId, plan.spanOffset(span), tokens, rows, offset);
                alreadyThereRows[span] = blocks.rowsAlreadyThere();
            }
            offset += tokens * rowBytes;
        }
    }

    private Outcome advance(final Request request, final int entry, final int sampledToken)
    {
        if (request.computedTokens < request.knownTokens())
        {
            return Outcome.CONTINUES;
        }
        if (request.computedTokens > request.knownTokens())
        {
            throw new InvariantViolation("request " + request.id() + " has computed " + request.computedTokens +
                " tokens but knows only " + request.knownTokens());
        }
        if (!request.wantsTokens())
        {
            return Outcome.REACHED_LENGTH;
        }
        emittedTokens[entry] = sampledToken;
        request.generated();
        if (request.stopsAt(sampledToken))
        {
            return Outcome.STOPPED;
        }
        return request.wantsTokens() ? Outcome.CONTINUES : Outcome.REACHED_LENGTH;
    }

    void addRegistered(final int blockId, final long blockHash)
    {
        if (registeredCount == registeredBlocks.length)
        {
            registeredBlocks = Arrays.copyOf(registeredBlocks, 2 * registeredCount);
            registeredHashes = Arrays.copyOf(registeredHashes, 2 * registeredCount);
        }
        registeredBlocks[registeredCount] = blockId;
        registeredHashes[registeredCount++] = blockHash;
    }

    private void ensureCapacity(final StepPlan plan)
    {
        if (plan.entryCount() > outcomes.length)
        {
            final int capacity = Math.max(plan.entryCount(), 2 * outcomes.length);
            outcomes = new Outcome[capacity];
            emittedTokens = new int[capacity];
        }
        if (plan.spanCount() > keptRows.length)
        {
            final int capacity = Math.max(plan.spanCount(), 2 * keptRows.length);
            keptRows = new int[capacity];
            alreadyThereRows = new int[capacity];
        }
    }

    public Outcome outcome(final int entry)
    {
        return outcomes[entry];
    }

    /** The token that became visible, or {@link #NO_TOKEN}. */
    public int emittedToken(final int entry)
    {
        return emittedTokens[entry];
    }

    public int keptRows(final int span)
    {
        return keptRows[span];
    }

    /** Rows of the span that were written before; the first write wins. */
    public int alreadyThereRows(final int span)
    {
        return alreadyThereRows[span];
    }

    public int registeredCount()
    {
        return registeredCount;
    }

    public int registeredBlock(final int index)
    {
        return registeredBlocks[index];
    }

    public long registeredHash(final int index)
    {
        return registeredHashes[index];
    }
}
