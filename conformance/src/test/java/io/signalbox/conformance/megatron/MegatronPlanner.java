// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.ConfigException;
import io.signalbox.experts.ModelShape;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Plans the steps of one DP rank by the paging rules of Megatron Core: the scheduling
 * passes of its {@code DynamicInferenceEngine} and the bookkeeping of its {@code DynamicInferenceContext}, as of August
 * 2026, block by block and row by row. Plain single-threaded code: submit requests, then repeat
 *
 * <pre>
 * layout = planner.schedule();          // what to compute; nothing when layout.tokenCount() is 0
 * planner.verify(acceptedDrafts);       // only with draft tokens
 * planner.storeRows(rows);              // only if routed experts are captured
 * planner.update(sampledTokens, drafts);
 * planner.finished(i), evicted(i), newlyPaused(i); planner.recycle(finished)
 * </pre>
 *
 * <p>What differs from the original, because there it is a defect: the tokens of a row are mapped to blocks by the row's
 * own block table; a finished request has references to its rows, so that it keeps them whatever happens to
 * its blocks in the same update; a request that was evicted has its rows when it ends. Unchanged: without
 * chunked prefill an evicted request whose prompt and generated tokens exceed the token budget can never be admitted
 * again and blocks the queue. That is visible as {@link #isStalled()}; the engine's {@code BatchPlanner} has no
 * such state.
 *
 * <p>Without rows nothing is allocated once the arrays have grown to their largest step, apart from what the
 * {@link PromptHasher} does.
 */
public final class MegatronPlanner
{
    private enum Phase
    {
        IDLE("no step is in flight, call schedule() first"),
        SCHEDULED("a step with draft tokens is in flight, call verify() next"),
        VERIFIED("a step is in flight, call update() to end it");

        private final String next;

        Phase(final String next)
        {
            this.next = next;
        }
    }

    private static final long[] NO_HASHES = {};

    private final PagingConfig config;
    private final PagingArguments arguments;
    private final PromptHasher hasher;
    private final ModelShape capture;
    private final KvBlockPool allocator;
    final PagedRows routedExperts;
    private final RequestRowTable rows;
    private final StepLayout layout;
    private final ArrayDeque<PagedRequest> waiting = new ArrayDeque<>();
    private final ArrayDeque<PagedRequest> pool = new ArrayDeque<>();
    private final PrefillAdmission admission;
    private final PagingUpdate update;
    private int[] rewoundBlocks = new int[16];
    private int rewoundCount;
    private Phase phase = Phase.IDLE;
    private boolean isFirstStep = true;
    private boolean stalled;

    /**
     * @param hasher  asked when a request is evicted; null if prefix caching is disabled.
     * @param capture routed-expert rows to keep, or null if capture is disabled.
     */
    public MegatronPlanner(final PagingConfig config, final PromptHasher hasher, final ModelShape capture)
    {
        this(config, hasher, capture, ContractKvBlocks::new);
    }

    /** @param blocks whose blocks the planner decides about; the other constructor takes those of Signalbox. */
    public MegatronPlanner(
        final PagingConfig config,
        final PromptHasher hasher,
        final ModelShape capture,
        final KvBlockPool.Maker blocks)
    {
        if (hasher == null && config.blocks().prefixCaching())
        {
            throw new ConfigException("prefix caching needs a PromptHasher for evicted requests; give one.");
        }
        this.config = config;
        arguments = new PagingArguments(config);
        this.hasher = config.blocks().prefixCaching() ? hasher : null;
        this.capture = capture;
        routedExperts = capture == null ? null : new PagedRows(capture, config);
        allocator = blocks.make(config.blocks(), routedExperts == null ? null : routedExperts.routing());
        rows = new RequestRowTable(config.maxRequests());
        layout = new StepLayout(rows, config.blockSizeTokens(), config.maxTokens());
        allocator.requestBlocks(rows);
        admission = new PrefillAdmission(config, allocator, routedExperts, rows, layout, waiting);
        update = new PagingUpdate(config, allocator, routedExperts, rows);
    }

    public KvBlockPool allocator()
    {
        return allocator;
    }

    public RequestRowTable rows()
    {
        return rows;
    }

    /** The tokens that {@link #schedule} returned; after an update, the decode tokens that the next step starts with. */
    public StepLayout layout()
    {
        return layout;
    }

    /**
     * Appends a request to the waiting queue.
     *
     * @param prompt    token ids, of which the first {@code promptTokens} count; copied.
     * @param hashes    one block hash per full block of the prompt, copied; not read if prefix caching is disabled.
     * @param generate  tokens to generate, at least 1.
     * @param stopToken sampled token that ends the request early, or {@link PagedRequest#NO_STOP_TOKEN}. An accepted
     *                  draft token never does: the original compares the sampled token alone.
     */
    public PagedRequest submit(
        final long id,
        final int[] prompt,
        final int promptTokens,
        final long[] hashes,
        final int generate,
        final int stopToken)
    {
        arguments.checkRequest(id, prompt, promptTokens, hashes, generate);
        final int hashCount = config.blocks().prefixCaching() ? promptTokens / config.blockSizeTokens() : 0;
        final PagedRequest pooled = pool.pollLast();
        final PagedRequest request = pooled == null ? new PagedRequest(config.draftTokens()) : pooled;
        request.reset(id, promptTokens, generate, stopToken, hashCount);
        request.prompt(prompt, hashCount == 0 ? NO_HASHES : hashes);
        waiting.addLast(request);
        return request;
    }

    /**
     * Begins a step: admits what fits and returns what is to be computed. With no token in the layout the step is over.
     */
    public StepLayout schedule()
    {
        enter(Phase.IDLE, "schedule");
        if (!isFirstStep)
        {
            allocator.tick();
        }
        isFirstStep = false;
        rewoundCount = 0;
        admission.admit();
        stalled = layout.tokenCount() == 0 && (!waiting.isEmpty() || rows.pausedRequests() > 0);
        phase = layout.tokenCount() == 0 ? Phase.IDLE : config.draftTokens() == 0 ? Phase.VERIFIED : Phase.SCHEDULED;
        return layout;
    }

    /**
     * Takes the rejected draft tokens of the step back: the rows' KV content ends with the last accepted one, and a block
     * that only rejected tokens had reached is released.
     *
     * @param accepted per active row, 0 to the number of draft tokens; not read for rows in prefill.
     */
    public void verify(final int[] accepted)
    {
        enter(Phase.SCHEDULED, "verify");
        arguments.checkAccepted(accepted, rows);
        for (int i = 0; i < rows.activeRows(); i++)
        {
            if (!rows.active(i).prefill)
            {
                rewind(rows.active(i), config.draftTokens() - accepted[i]);
            }
        }
        allocator.release(rewoundBlocks, 0, rewoundCount);
        phase = Phase.VERIFIED;
    }

    private void rewind(final PagedRequest request, final int rejected)
    {
        request.rejectedTokens = rejected;
        request.kvOffset -= rejected;
        request.lastOffset -= rejected;
        if (request.lastOffset < 0)
        {
            request.lastOffset += config.blockSizeTokens();
            if (rewoundCount == rewoundBlocks.length)
            {
                rewoundBlocks = Arrays.copyOf(rewoundBlocks, 2 * rewoundCount);
            }
            rewoundBlocks[rewoundCount++] = request.blockTable[--request.blockCount];
        }
    }

    /**
     * Stores the routed-expert rows of the step by its layout; those of rejected draft tokens are left out.
     *
     * @param rowsOfStep the expert ids of each token of the layout, {@code [MoE layer][k]}. With fewer rows or ids than the
     *                   step has, nothing is stored.
     */
    public void storeRows(final int[][] rowsOfStep)
    {
        enter(Phase.VERIFIED, "storeRows");
        if (routedExperts == null)
        {
            throw new IllegalStateException("storeRows() was called but capture is off; give the planner a model shape.");
        }
        arguments.checkRows(rowsOfStep, layout.tokenCount(), capture.rowIds());
        for (int i = 0; i < rows.activeRows(); i++)
        {
            routedExperts.store(rows.active(i), rowsOfStep);
        }
    }

    /**
     * Ends the step: finishes, pauses, resumes and evicts, and prepares the rows of the next step. If the
     * {@link PromptHasher} gives what are no hashes of an evicted request, the step has ended all the same: that request,
     * and those evicted with it that come after, wait without hashes, which is right but shares nothing.
     *
     * @param sampled one token per active row; not read for a row whose prompt is not complete.
     * @param drafts  {@code [draft][active row]}, the draft tokens that the next step of each row feeds behind the
     *                sampled one; not read without draft tokens.
     */
    public void update(final int[] sampled, final int[] drafts)
    {
        enter(Phase.VERIFIED, "update");
        arguments.checkSampled(sampled, drafts, rows);
        final int active = rows.activeRows();
        for (int i = 0; i < active; i++)
        {
            final PagedRequest request = rows.active(i);
            if (!rows.isPartial(request))
            {
                request.commit(sampled[i]);
            }
            for (int j = 0; j < config.draftTokens(); j++)
            {
                request.draftTokens[j] = drafts[j * active + i];
            }
        }
        update.findFinished();
        update.apply();
        requeueEvicted();
        advance();
        phase = Phase.IDLE;
        hashEvicted();
    }

    /** In front of the queue, behind a prompt that has begun; of several, the rightmost row comes first. */
    private void requeueEvicted()
    {
        if (update.evicted.size() == 0)
        {
            return;
        }
        final PagedRequest begun = rows.chunkedPrefill() == null ? null : waiting.pollFirst();
        for (int i = 0; i < update.evicted.size(); i++)
        {
            final PagedRequest request = update.evicted.get(i);
            request.evict();
            waiting.addFirst(request);
        }
        if (begun != null)
        {
            waiting.addFirst(begun);
        }
    }

    /** Comes last: what a hasher does wrong must not leave the step half ended. */
    private void hashEvicted()
    {
        for (int i = 0; i < update.evicted.size() && hasher != null; i++)
        {
            final PagedRequest request = update.evicted.get(i);
            request.hash(hasher, arguments, request.promptTokens / config.blockSizeTokens());
        }
    }

    /** Each active row feeds its last token and the drafts behind it. */
    private void advance()
    {
        layout.clear();
        for (int i = 0; i < rows.activeRows(); i++)
        {
            final PagedRequest request = rows.active(i);
            request.kvOffset += request.queryTokens;
            request.queryTokens = config.tokensPerRow();
            request.rejectedTokens = 0;
            request.prefill = false;
            request.lastOffset = (request.lastOffset + config.tokensPerRow()) % config.blockSizeTokens();
            layout.append(request);
        }
    }

    private void enter(final Phase needed, final String operation)
    {
        if (phase != needed)
        {
            throw new IllegalStateException(operation + "() was called out of turn: " + phase.next + ".");
        }
    }

    /** Requests that the last update ended; their tokens, blocks and rows stay as they are until they are recycled. */
    public int finishedCount()
    {
        return update.finished.size();
    }

    public PagedRequest finished(final int index)
    {
        return update.finished.get(index);
    }

    /** Requests that the last update took the blocks from; they wait in front of the queue. */
    public int evictedCount()
    {
        return update.evicted.size();
    }

    public PagedRequest evicted(final int index)
    {
        return update.evicted.get(index);
    }

    /**
     * Requests that the last update paused and, by the original's count, did not resume: as many as were resumed are
     * taken off the end of the list, whichever they are. One that was evicted can be among them.
     */
    public int newlyPausedCount()
    {
        return update.newlyPaused.size();
    }

    public PagedRequest newlyPaused(final int index)
    {
        return update.newlyPaused.get(index);
    }

    /** Blocks that {@link #verify} released in this step. */
    public int rewoundCount()
    {
        return rewoundCount;
    }

    public int rewoundBlock(final int index)
    {
        return rewoundBlocks[index];
    }

    /** Takes a finished request and its rows back for reuse; the caller must not read it any more. */
    public void recycle(final PagedRequest request)
    {
        if (!request.takeEnd())
        {
            throw new IllegalStateException("request " + request.id() +
                " cannot be recycled, because it has not ended or was recycled before; recycle finished requests once.");
        }
        request.clearRows();
        pool.addLast(request);
    }

    /**
     * Whether no later step can compute anything unless something is taken away: requests wait or are paused, nothing is
     * active, and the last schedule admitted nothing. Requests that come later do not help, because only the head of the
     * queue is tried. Causes: an evicted request that has outgrown the token budget; paused requests and a prompt in
     * chunks that hold each other's blocks; a token budget below one block, which must be computed again as a whole
     * when all of a chunk is cached.
     */
    public boolean isStalled()
    {
        return stalled;
    }

    public int waitingCount()
    {
        return waiting.size();
    }

    /** Ids of the waiting requests in their order, in a new array. */
    public long[] waitingIds()
    {
        return waiting.stream().mapToLong(PagedRequest::id).toArray();
    }

    /** How often a request was put aside because its prefix was being computed by one admitted in the same pass. */
    public long coordinationWaits()
    {
        return admission.coordinationWaits();
    }
}
