// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.hash.BlockHasher;

import java.util.Arrays;

/**
 * Applies the results of one step. The layout of its plan decides into which pages routed-expert rows are stored, which
 * tokens count as computed, which block hashes are registered, and which request receives each sampled token. Keeps the
 * outcome of each entry and span until the next step is applied.
 */
public final class StepCommit
{
    /** State of an entry's request after the step. */
    public enum Outcome
    {
        CONTINUES,
        STOPPED,
        REACHED_LENGTH,
        /** The device computed nothing; the request continues. */
        VOID,
        /** The request had ended, or was running anew. */
        DEAD,
        /** The request is to end: its results are dropped, except rows and hashes of a chunk, which others may share. */
        OWNER_GONE
    }

    private final int rowBytes;
    private final BlockHasher hasher;
    private final CommittedSpans spans = new CommittedSpans();
    private Outcome[] outcomes = new Outcome[16];
    private int[] starts = new int[16];
    private int[] advances = new int[16];
    private int[] rejected = new int[16];
    private int[] emitted = new int[16];
    private int[] afterStop = new int[16];
    private int tokenCount;
    private int[] tokens = new int[16];
    private int registeredCount;
    private int[] registeredBlocks = new int[16];
    private int[] registeredIssues = new int[16];
    private long[] registeredHashes = new long[16];
    private boolean[] registeredGenerated = new boolean[16];

    /**
     * @param capture the rows of every step, or null if capture is off.
     * @param hasher  hashes the blocks that decoding fills; null if no request continues its hashes.
     */
    public StepCommit(final ModelShape capture, final BlockHasher hasher)
    {
        this.hasher = hasher;
        rowBytes = capture == null ? 0 : capture.rowBytes();
    }

    /**
     * Applies a step.
     *
     * @param plan   of the oldest step of the rank that is in flight.
     * @param output in which {@link OutputCheck} found no fault.
     */
    public void apply(final StepPlan plan, final RankBlocks blocks, final RankLoad load, final StepOutput output)
    {
        registeredCount = 0;
        tokenCount = 0;
        ensureCapacity(plan);
        spans.begin();
        int row = 0;
        int token = 0;
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            final int accepted = output.accepted(entry);
            starts[entry] = output.start(entry);
            advances[entry] = 0;
            rejected[entry] = 0;
            emitted[entry] = 0;
            afterStop[entry] = 0;
            outcomes[entry] = fate(plan, entry);
            if (outcomes[entry] == Outcome.CONTINUES)
            {
                resolve(plan, entry, output, token);
                advance(plan, entry, blocks, load, output, row);
                conclude(plan.entryRequest(entry), entry);
            }
            else if (outcomes[entry] == Outcome.OWNER_GONE && isChunk(plan, entry))
            {
                advances[entry] = chunkTokens(plan.entryRequest(entry), entry, plan.entryTokens(entry));
                advance(plan, entry, blocks, load, output, row);
            }
            row += plan.entryTokens(entry);
            token += accepted;
        }
    }

    private Outcome fate(final StepPlan plan, final int entry)
    {
        if (!plan.isOwned(entry))
        {
            return Outcome.DEAD;
        }
        final Request request = plan.entryRequest(entry);
        request.residency.flights.landed(plan.step());
        if (request.isEnding())
        {
            return Outcome.OWNER_GONE;
        }
        return plan.isLateBound(entry) && starts[entry] >= plan.entryEnd(entry) ? Outcome.VOID : Outcome.CONTINUES;
    }

    /** Emits the accepted tokens up to a stop token, and counts what becomes of all tokens of the entry. */
    private void resolve(final StepPlan plan, final int entry, final StepOutput output, final int firstToken)
    {
        final Request request = plan.entryRequest(entry);
        final int accepted = output.accepted(entry);
        boolean stopped = false;
        while (emitted[entry] < accepted && !stopped && request.wantsTokens())
        {
            final int token = output.token(firstToken + emitted[entry]++);
            addToken(token);
            request.generated(token);
            stopped = request.stopsAt(token);
        }
        final boolean isLate = plan.isLateBound(entry);
        advances[entry] = isLate ? emitted[entry] : plan.entryTokens(entry);
        rejected[entry] = isLate ? plan.entryTokens(entry) - accepted : 0;
        afterStop[entry] = accepted - emitted[entry];
        outcomes[entry] = stopped ? Outcome.STOPPED : Outcome.CONTINUES;
    }

    /** The layout, not the request, attributes rows; a block in another issue has another owner. */
    private void storeRows(
        final StepPlan plan, final int entry, final RankBlocks blocks, final StepOutput output, final int firstRow)
    {
        final int first = starts[entry];
        final int end = first + advances[entry];
        int index = plan.firstBlock(entry) + first / blocks.blockSizeTokens() -
            plan.entryStart(entry) / blocks.blockSizeTokens();
        for (int position = first; position < end; index++)
        {
            final int offset = position % blocks.blockSizeTokens();
            final int count = Math.min(blocks.blockSizeTokens() - offset, end - position);
            if (blocks.isIssued(plan.blockAt(index), plan.issueAt(index)))
            {
                spans.store(plan, index, offset, count, blocks, output, (firstRow + position - first) * rowBytes);
            }
            position += count;
        }
        plan.entryRequest(entry).addImpossibleRows(spans.countImpossible(output, firstRow, firstRow + advances[entry]));
    }

    /** Others may share the blocks of a chunk whose request is to end: its tokens count, but it samples none. */
    private boolean isChunk(final StepPlan plan, final int entry)
    {
        return !plan.isLateBound(entry) && starts[entry] == plan.entryRequest(entry).computedTokens;
    }

    /** Tokens of a chunk whose request is to end; the last token that a request emitted is never fed. */
    private int chunkTokens(final Request request, final int entry, final int count)
    {
        return Math.max(0, Math.min(count, Math.max(request.promptTokens(), request.knownTokens() - 1) - starts[entry]));
    }

    private void advance(
        final StepPlan plan,
        final int entry,
        final RankBlocks blocks,
        final RankLoad load,
        final StepOutput output,
        final int firstRow)
    {
        final Request request = plan.entryRequest(entry);
        if (request.residency.isProvisional())
        {
            blocks.confirmShared(request);
        }
        if (rowBytes > 0)
        {
            storeRows(plan, entry, blocks, output, firstRow);
        }
        load.computed(request, advances[entry]);
        request.prefix().complete(request.computedTokens / blocks.blockSizeTokens(), blocks.blockSizeTokens(), hasher);
        blocks.register(request, starts[entry], starts[entry] + advances[entry], this);
    }

    private void conclude(final Request request, final int entry)
    {
        final int computed = request.computedTokens;
        if (computed > request.knownTokens() || outcomes[entry] == Outcome.STOPPED && computed != request.knownTokens() - 1)
        {
            throw new InvariantViolation("request " + request.id() + " has computed " + computed +
                " tokens and knows " + request.knownTokens());
        }
        final boolean reached = !request.wantsTokens() && (emitted[entry] > 0 || computed == request.knownTokens());
        outcomes[entry] = outcomes[entry] == Outcome.CONTINUES && reached ? Outcome.REACHED_LENGTH : outcomes[entry];
    }

    private void addToken(final int token)
    {
        if (tokenCount == tokens.length)
        {
            tokens = Arrays.copyOf(tokens, 2 * tokenCount);
        }
        tokens[tokenCount++] = token;
    }

    /** @param isGenerated whether decoding put a token into the block. */
    void addRegistered(final int blockId, final int issue, final long blockHash, final boolean isGenerated)
    {
        if (registeredCount == registeredBlocks.length)
        {
            registeredBlocks = Arrays.copyOf(registeredBlocks, 2 * registeredCount);
            registeredIssues = Arrays.copyOf(registeredIssues, 2 * registeredCount);
            registeredHashes = Arrays.copyOf(registeredHashes, 2 * registeredCount);
            registeredGenerated = Arrays.copyOf(registeredGenerated, 2 * registeredCount);
        }
        registeredBlocks[registeredCount] = blockId;
        registeredIssues[registeredCount] = issue;
        registeredGenerated[registeredCount] = isGenerated;
        registeredHashes[registeredCount++] = blockHash;
    }

    private void ensureCapacity(final StepPlan plan)
    {
        if (plan.entryCount() > outcomes.length)
        {
            final int capacity = Math.max(plan.entryCount(), 2 * outcomes.length);
            outcomes = new Outcome[capacity];
            starts = new int[capacity];
            advances = new int[capacity];
            rejected = new int[capacity];
            emitted = new int[capacity];
            afterStop = new int[capacity];
        }
    }

    public Outcome outcome(final int entry)
    {
        return outcomes[entry];
    }

    /** Position of the first token that the entry fed. */
    public int start(final int entry)
    {
        return starts[entry];
    }

    /** Tokens of the entry that count as computed now. */
    public int advance(final int entry)
    {
        return advances[entry];
    }

    /** Draft tokens that the backend did not accept. */
    public int rejected(final int entry)
    {
        return rejected[entry];
    }

    /** Tokens of the entry that became visible. */
    public int emitted(final int entry)
    {
        return emitted[entry];
    }

    /** Accepted tokens behind the one at which the request stopped. */
    public int afterStop(final int entry)
    {
        return afterStop[entry];
    }

    /** Tokens that became visible, of all entries. */
    public int tokenCount()
    {
        return tokenCount;
    }

    public int token(final int index)
    {
        return tokens[index];
    }

    /** The runs of rows that were stored. */
    public CommittedSpans spans()
    {
        return spans;
    }

    public int registeredCount()
    {
        return registeredCount;
    }

    public int registeredBlock(final int index)
    {
        return registeredBlocks[index];
    }

    public int registeredIssue(final int index)
    {
        return registeredIssues[index];
    }

    public long registeredHash(final int index)
    {
        return registeredHashes[index];
    }

    /** Whether decoding put a token into the block. */
    public boolean registeredGenerated(final int index)
    {
        return registeredGenerated[index];
    }
}
