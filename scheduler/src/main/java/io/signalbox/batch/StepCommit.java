// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;
import io.signalbox.event.CommitWords;
import io.signalbox.event.CommittedStep;
import io.signalbox.event.codec.EntryVerdict;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.hash.BlockHasher;

import java.util.Arrays;

/**
 * Applies the results of one step. The layout of its plan decides into which pages routed-expert rows are stored, which
 * tokens count as computed, which block hashes are registered, and which request receives each sampled token. Keeps the
 * outcome of each entry and span until the next step is applied.
 */
public final class StepCommit implements CommittedStep
{
    /** State of an entry's request after the step. */
    public enum Outcome
    {
        CONTINUES(EntryVerdict.LIVE),
        STOPPED(EntryVerdict.LIVE),
        REACHED_LENGTH(EntryVerdict.LIVE),
        /** The device computed nothing; the request continues. */
        VOID(EntryVerdict.VOID),
        /** The request had ended, or was running anew. */
        DEAD(EntryVerdict.DEAD),
        /** The request is to end: its results are dropped, except rows and hashes of a chunk, which others may share. */
        OWNER_GONE(EntryVerdict.OWNER_GONE);

        /** The outcome and its verdict as they are in {@link #COUNTS}. */
        private final long bits;

        Outcome(final EntryVerdict verdict)
        {
            bits = (long)ordinal() << CommitWords.COUNTS_BITS | CommitWords.verdict(verdict);
        }
    }

    /**
     * Words of an entry: {@link CommitWords}, and the outcome as its ordinal in the upper half of the last one, because
     * storing references costs barriers of the collector.
     */
    private static final int ENTRY_WORDS = 2;
    private static final int COUNTS = 1;
    private static final Outcome[] OUTCOMES = Outcome.values();

    private final int rowBytes;
    private final BlockHasher hasher;
    private final CommittedSpans spans = new CommittedSpans();
    private final RegisteredBlocks registered = new RegisteredBlocks();
    private long[] words = new long[16 * ENTRY_WORDS];
    private int endedCount;
    private int[] ended = new int[16];
    private int tokenCount;
    private int[] logprobs = new int[16];
    private int logprobCount;
    private int[] tokens = new int[16];

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
        registered.clear();
        tokenCount = 0;
        endedCount = 0;
        logprobCount = 0;
        ensureCapacity(plan);
        spans.begin(output, plan.tokens() * rowBytes);
        int row = 0;
        int token = 0;
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            final int steady = output.hasLogprobs() ? 0 : applySteady(plan, entry, blocks, load, output, row, token);
            entry += steady;
            row += steady;
            token += steady;
            if (entry < plan.entryCount())
            {
                final int accepted = output.accepted(entry);
                if (!output.hasLogprobs() && areSteady(plan, entry, accepted, output, token))
                {
                    commitSteady(plan, entry, blocks, load, output, row, token, accepted);
                }
                else
                {
                    applyEntry(plan, entry, blocks, load, output, row, token, accepted);
                }
                row += plan.entryTokens(entry);
                token += accepted;
            }
        }
    }

    /**
     * Applies entries with one row and one token each, as long as they are steady. A loop of nothing else keeps the arrays
     * of plan and output in registers.
     *
     * @return their number.
     */
    private int applySteady(
        final StepPlan plan,
        final int first,
        final RankBlocks blocks,
        final RankLoad load,
        final StepOutput output,
        final int firstRow,
        final int firstToken)
    {
        final int toToken = firstToken - first;
        int entry = first;
        while (entry < plan.entryCount() && output.accepted(entry) == 1 && plan.isOwned(entry) &&
            SteadyDecode.isSteady(plan, entry, plan.entryRequest(entry), output.token(entry + toToken)))
        {
            commitSteady(plan, entry, blocks, load, output, firstRow + entry - first, output.token(entry + toToken));
            entry++;
        }
        return entry - first;
    }

    private void commitSteady(
        final StepPlan plan,
        final int entry,
        final RankBlocks blocks,
        final RankLoad load,
        final StepOutput output,
        final int row,
        final int token)
    {
        tokens[tokenCount++] = token;
        record(entry, plan.entryStart(entry), 1, 0, 1, 0);
        if (rowBytes > 0)
        {
            storeRow(plan, entry, blocks, output, row);
        }
        SteadyDecode.commit(plan, entry, load, token);
        words[entry * ENTRY_WORDS + COUNTS] |= Outcome.CONTINUES.bits;
    }

    private static boolean areSteady(
        final StepPlan plan, final int entry, final int accepted, final StepOutput output, final int token)
    {
        return accepted > 0 && plan.isOwned(entry) &&
            SteadyDecode.areSteady(plan, entry, plan.entryRequest(entry), output, token, accepted);
    }

    private void commitSteady(
        final StepPlan plan,
        final int entry,
        final RankBlocks blocks,
        final RankLoad load,
        final StepOutput output,
        final int row,
        final int firstToken,
        final int accepted)
    {
        final int first = tokenCount;
        for (int i = 0; i < accepted; i++)
        {
            tokens[tokenCount++] = output.token(firstToken + i);
        }
        final int start = output.start(entry);
        record(entry, start, accepted, plan.entryTokens(entry) - accepted, accepted, 0);
        if (rowBytes > 0)
        {
            storeRows(plan, entry, blocks, output, row);
        }
        SteadyDecode.commit(plan, entry, load, start, tokens, first, accepted);
        words[entry * ENTRY_WORDS + COUNTS] |= Outcome.CONTINUES.bits;
    }

    private void applyEntry(
        final StepPlan plan,
        final int entry,
        final RankBlocks blocks,
        final RankLoad load,
        final StepOutput output,
        final int row,
        final int token,
        final int accepted)
    {
        final int start = output.start(entry);
        final Request request = plan.entryRequest(entry);
        Outcome outcome = fate(plan, entry, request, start);
        if (outcome == Outcome.CONTINUES)
        {
            outcome = resolve(plan, entry, request, output, start, token, accepted);
            advance(plan, entry, request, blocks, load, output, row);
            outcome = endIfReached(request, entry, outcome);
            SteadyDecode.settle(request, plan.weightGeneration(), blocks.blockSize());
        }
        else if (outcome == Outcome.OWNER_GONE && isChunk(plan, entry, start))
        {
            record(entry, start, chunkTokens(plan, entry, start), 0, 0, 0);
            advance(plan, entry, request, blocks, load, output, row);
        }
        else
        {
            record(entry, start, 0, 0, 0, 0);
        }
        conclude(entry, outcome);
    }

    private void record(
        final int entry, final int start, final int advance, final int rejected, final int emitted, final int afterStop)
    {
        final int at = entry * ENTRY_WORDS;
        words[at] = CommitWords.range(start, advance);
        words[at + COUNTS] = CommitWords.counts(rejected, afterStop, emitted);
    }

    private void conclude(final int entry, final Outcome outcome)
    {
        words[entry * ENTRY_WORDS + COUNTS] |= outcome.bits;
        if (outcome != Outcome.CONTINUES && outcome != Outcome.VOID && outcome != Outcome.DEAD)
        {
            ended[endedCount++] = entry;
        }
    }

    private static Outcome fate(final StepPlan plan, final int entry, final Request request, final int start)
    {
        if (!plan.isOwned(entry))
        {
            return Outcome.DEAD;
        }
        request.landed(plan.step());
        if (request.isEnding())
        {
            return Outcome.OWNER_GONE;
        }
        return plan.isLateBound(entry) && start >= plan.entryEnd(entry) ? Outcome.VOID : Outcome.CONTINUES;
    }

    /** Counts what becomes of all tokens of the entry. */
    private Outcome resolve(
        final StepPlan plan,
        final int entry,
        final Request request,
        final StepOutput output,
        final int start,
        final int firstToken,
        final int accepted)
    {
        final int fed = plan.entryTokens(entry);
        final int visible = emit(request, output, firstToken, accepted);
        final boolean isLate = plan.isLateBound(entry);
        record(entry, start, isLate ? visible : fed, isLate ? fed - accepted : 0, visible, accepted - visible);
        return visible > 0 && request.endsWith(tokens[tokenCount - 1]) ? Outcome.STOPPED : Outcome.CONTINUES;
    }

    /** Emits the accepted tokens up to a stop token; returns how many. */
    private int emit(final Request request, final StepOutput output, final int firstToken, final int accepted)
    {
        int visible = 0;
        boolean stopped = false;
        while (visible < accepted && !stopped && request.wantsTokens())
        {
            final int token = output.token(firstToken + visible++);
            tokens[tokenCount++] = token;
            if (output.hasLogprobs())
            {
                addLogprob(output.logprobBits(firstToken + visible - 1));
            }
            request.generated(token);
            stopped = request.endsWith(token);
        }
        return visible;
    }

    /** The layout, not the request, attributes rows; a block in another issue has another owner. */
    private void storeRows(
        final StepPlan plan, final int entry, final RankBlocks blocks, final StepOutput output, final int firstRow)
    {
        final BlockSize size = blocks.blockSize();
        final int first = start(entry);
        final int end = first + advance(entry);
        final Request request = plan.entryRequest(entry);
        final int floor = request.weights.floor(plan.weightGeneration(), request.computedHighWater());
        int index = plan.firstBlock(entry) + size.blockOf(first) - size.blockOf(plan.entryStart(entry));
        for (int position = first; position < end; index++)
        {
            final int offset = size.offsetOf(position);
            final int count = Math.min(size.tokens() - offset, end - position);
            if (blocks.isIssued(plan.blockAt(index), plan.issueAt(index)))
            {
                final boolean isOlder = position < floor &&
                    request.rows().isPageOf(size.blockOf(position), plan.blockAt(index), blocks.pages());
                spans.store(plan, index, offset, count, isOlder ? Math.min(count, floor - position) : 0, blocks.pages(),
                    output, (firstRow + position - first) * rowBytes, rowBytes);
            }
            position += count;
        }
        request.addImpossibleRows(spans.countImpossible(output, firstRow, firstRow + advance(entry)));
    }

    /** The row of a steady entry: no other weights computed its position, as {@link SteadyDecode#settle} made sure. */
    private void storeRow(
        final StepPlan plan, final int entry, final RankBlocks blocks, final StepOutput output, final int row)
    {
        final Request request = plan.entryRequest(entry);
        final int index = plan.firstBlock(entry);
        if (plan.isLastBlock(index, request) || blocks.isIssued(plan.blockAt(index), plan.issueAt(index)))
        {
            spans.storeRow(plan, index, blocks.blockSize().offsetOf(plan.entryStart(entry)), blocks.pages(), output,
                row * rowBytes);
        }
        if (spans.hasImpossible(row + 1))
        {
            request.addImpossibleRows(spans.countImpossible(output, row, row + 1));
        }
    }

    /** Others may share the blocks of a chunk whose request is to end: its tokens count, but it samples none. */
    private static boolean isChunk(final StepPlan plan, final int entry, final int start)
    {
        return !plan.isLateBound(entry) && start == plan.entryRequest(entry).computedTokens;
    }

    /** Tokens of a chunk whose request is to end; the last token that a request emitted is never fed. */
    private static int chunkTokens(final StepPlan plan, final int entry, final int start)
    {
        final Request request = plan.entryRequest(entry);
        final int end = Math.max(request.promptTokens(), request.knownTokens() - 1);
        return Math.max(0, Math.min(plan.entryTokens(entry), end - start));
    }

    private void advance(
        final StepPlan plan,
        final int entry,
        final Request request,
        final RankBlocks blocks,
        final RankLoad load,
        final StepOutput output,
        final int firstRow)
    {
        if (request.isProvisional())
        {
            blocks.confirmShared(request);
        }
        if (rowBytes > 0)
        {
            storeRows(plan, entry, blocks, output, firstRow);
        }
        final int end = start(entry) + advance(entry);
        request.weights.extend(request.computedHighWater(), end, plan.weightGeneration());
        load.computed(request, advance(entry));
        request.prefix().complete(request.computedTokens, blocks.blockSize(), hasher);
        blocks.register(request, start(entry), end, registered);
    }

    private Outcome endIfReached(final Request request, final int entry, final Outcome outcome)
    {
        final int computed = request.computedTokens;
        final int end = start(entry) + advance(entry);
        final int known = request.knownTokens();
        if (computed != end || computed > known || outcome == Outcome.STOPPED && computed != known - 1)
        {
            throw new InvariantViolation("request " + request.id() + " has computed " + computed +
                " tokens, an entry ended at " + end + ", and " + known + " are known");
        }
        final boolean reached = !request.wantsTokens() && (emitted(entry) > 0 || computed == known);
        return outcome == Outcome.CONTINUES && reached ? Outcome.REACHED_LENGTH : outcome;
    }

    private void addLogprob(final int bits)
    {
        if (logprobCount == logprobs.length)
        {
            logprobs = Arrays.copyOf(logprobs, 2 * logprobCount);
        }
        logprobs[logprobCount++] = bits;
    }

    private void ensureCapacity(final StepPlan plan)
    {
        if (plan.entryCount() > ended.length)
        {
            final int capacity = Math.max(plan.entryCount(), 2 * ended.length);
            words = new long[capacity * ENTRY_WORDS];
            ended = new int[capacity];
        }
        if (plan.tokens() > tokens.length)
        {
            tokens = new int[Math.max(plan.tokens(), 2 * tokens.length)];
        }
    }

    /** Entries with which a request ended or may end. */
    public int endedCount()
    {
        return endedCount;
    }

    /** Such an entry; ascending. */
    public int ended(final int index)
    {
        return ended[index];
    }

    public Outcome outcome(final int entry)
    {
        return OUTCOMES[(int)(words[entry * ENTRY_WORDS + COUNTS] >>> CommitWords.COUNTS_BITS)];
    }

    private int start(final int entry)
    {
        return CommitWords.low(words[entry * ENTRY_WORDS]);
    }

    /** Tokens of the entry that count as computed now. */
    private int advance(final int entry)
    {
        return CommitWords.high(words[entry * ENTRY_WORDS]);
    }

    /** Tokens of the entry that became visible. */
    private int emitted(final int entry)
    {
        return CommitWords.emitted((int)words[entry * ENTRY_WORDS + COUNTS]);
    }

    @Override
    public long[] entryWords()
    {
        return words;
    }

    @Override
    public int entryStride()
    {
        return ENTRY_WORDS;
    }

    @Override
    public int[] tokens()
    {
        return tokens;
    }

    @Override
    public int tokenCount()
    {
        return tokenCount;
    }

    @Override
    public int logprobCount()
    {
        return logprobCount;
    }

    @Override
    public int logprobBits(final int index)
    {
        return logprobs[index];
    }

    @Override
    public int spanCount()
    {
        return spans.count();
    }

    @Override
    public long[] spanWords()
    {
        return spans.words();
    }

    @Override
    public int missingRows()
    {
        return spans.missingRows();
    }

    @Override
    public int impossibleRows()
    {
        return spans.impossibleRows();
    }

    @Override
    public int registeredCount()
    {
        return registered.count();
    }

    @Override
    public int registeredBlock(final int index)
    {
        return registered.block(index);
    }

    @Override
    public int registeredIssue(final int index)
    {
        return registered.issue(index);
    }

    @Override
    public long registeredHash(final int index)
    {
        return registered.hash(index);
    }

    @Override
    public boolean isRegisteredGenerated(final int index)
    {
        return registered.isGenerated(index);
    }
}
