// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import io.signalbox.conformance.megatron.KvBlockPool;
import io.signalbox.conformance.megatron.MegatronFailure;
import io.signalbox.conformance.megatron.MegatronKvBlocks;
import io.signalbox.conformance.megatron.MegatronPlanner;
import io.signalbox.conformance.megatron.PagedRequest;
import io.signalbox.conformance.megatron.PagingConfig;
import io.signalbox.conformance.megatron.RequestRowTable;
import io.signalbox.conformance.megatron.StepLayout;
import io.signalbox.experts.ExpertIdType;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.kv.hash.BlockHasher;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

import static io.signalbox.conformance.Divergence.check;

/**
 * Drives the planner through one trace and compares every recorded field with it.
 */
final class ContextReplay
{
    private static final int EXPERTS = 128;
    private static final byte[] NO_CACHE_KEY = new byte[0];
    private static final Set<String> INIT_FIELDS = Set.of(
        "pool_size", "paused_limit", "prefix_caching", "policy", "block_size", "speculative", "chunked_prefill",
        "max_requests", "max_tokens", "max_blocks_per_request", "layers", "topk", "max_prompt", "requests", "max_steps");
    private static final Set<String> LAYOUT_FIELDS = Set.of(
        "paused", "total", "ids", "query", "kv_offset", "blocks", "token_block", "token_pos", "token_id", "avail",
        "allocatable");
    private static final Set<String> FINISHED_FIELDS = Set.of(
        "id", "blocks", "tokens", "segments", "cached_tokens", "routing");
    private static final Set<String> AFTER_FIELDS = Set.of(
        "paused", "total", "ids", "blocks", "last_offset", "kv_offset", "active_tokens", "waiting", "avail", "allocatable",
        "active_used", "paused_used", "free");
    private static final Set<String> AFTER_FIELDS_OF_CACHING = Set.of("refs", "registered");

    private final boolean prefixCaching;
    private final int draftTokens;
    private final int poolSize;
    private final int blockSize;
    private final BlockHasher hasher;
    private final MegatronPlanner planner;
    private final ModelShape shape;
    private final RoutingPayload payload;
    private final BlockContentOracle oracle;
    private final int requests;
    private final int maxSteps;
    private int arrived;
    private int steps;
    private boolean stalled;
    private boolean ended;
    private int keptRouting;
    private int defects;
    private int stalls;
    private int faults;

    ContextReplay(final TraceRecord args)
    {
        args.only("args", INIT_FIELDS);
        requests = args.integer("requests");
        maxSteps = args.integer("max_steps");
        prefixCaching = args.flag("prefix_caching");
        draftTokens = args.integer("speculative");
        poolSize = args.integer("pool_size");
        blockSize = args.integer("block_size");
        shape = new ModelShape(args.integer("layers"), EXPERTS, args.integer("topk"));
        payload = new RoutingPayload(shape, ExpertIdType.INT16);
        hasher = BlockHasher.of(BlockHashFunction.SHA_256, blockSize);
        final KvBlockConfig pool = KvBlockConfig.of(poolSize).withPausedLimit(args.integer("paused_limit"));
        final EvictionPolicy policy = RecordedAllocator.policy(args.text("policy"));
        final KvBlockConfig blocks = prefixCaching ? pool.withPrefixCaching(policy) : pool;
        planner = new MegatronPlanner(
            new PagingConfig(blocks, blockSize, args.integer("max_requests"), args.integer("max_tokens"), draftTokens,
                args.flag("chunked_prefill")),
            (id, tokens, count, hashes) -> hasher.hash(tokens, count, NO_CACHE_KEY, hashes),
            shape, MegatronKvBlocks::august2026);
        oracle = new BlockContentOracle(poolSize, blockSize, payload);
    }

    /** Finished requests that kept the routing which the original lost. */
    int keptRouting()
    {
        return keptRouting;
    }

    /** Layouts that the original got wrong. */
    int defects()
    {
        return defects;
    }

    int stalls()
    {
        return stalls;
    }

    /** Ends in an exception of the original. */
    int faults()
    {
        return faults;
    }

    void step(final TraceRecord step)
    {
        check("a record behind the end of the trace", false, ended);
        check("operation", "step", step.text("op"));
        steps++;
        ended = step.has("stall") || step.has("upstream_defect") || step.has("fault");
        replay(step);
        // Of what is recorded nothing is passed over, be it unknown or out of place.
        final Set<String> unread = step.unread();
        unread.removeAll(Set.of("t", "step"));
        check("fields that are not known here", Set.of(), unread);
    }

    private void replay(final TraceRecord step)
    {
        if (isRecorded(step, "arrivals"))
        {
            submitArrivals(step);
        }
        compare(step, "waiting_before", waiting());
        final StepLayout layout = schedule(step);
        if (layout == null)
        {
            return;
        }
        compare(step, "waiting_after_schedule", waiting());
        compare(step, "coordination_waits", planner.coordinationWaits());
        final PagedRequest chunked = planner.rows().chunkedPrefill();
        compare(step, "chunked_prefill_request", chunked == null ? -1 : chunked.id());
        if (isRecorded(step, "layout"))
        {
            checkLayout(step, layout);
        }
        checkStall(step, layout);
        if (step.has("upstream_defect"))
        {
            defects++;
            checkLiveRows(step.record("layout"));
        }
        else if (layout.tokenCount() > 0 && isRecorded(step, "routing_seed"))
        {
            complete(step, layout);
        }
    }

    /** A trace ends when all is done, or says why it ends before. */
    void end()
    {
        if (!ended && steps < maxSteps)
        {
            check("requests that had arrived when the trace ended", requests, arrived);
            check("requests that wait when the trace ends", List.of(), waiting());
            check("rows that are left when the trace ends", List.of(), ids());
        }
    }

    /**
     * A step in which the original threw lacks what comes behind; what is recorded of it until then holds. Any other has
     * every field.
     */
    private static boolean isRecorded(final TraceRecord step, final String field)
    {
        return !step.has("fault") || step.has(field);
    }

    private static void compare(final TraceRecord step, final String field, final Object actual)
    {
        if (isRecorded(step, field))
        {
            check(field, step.get(field), actual);
        }
    }

    /**
     * If the original threw, it is enough that the planner continues, or refuses for the same reason: a deep block of a
     * prefix is known and one before it is not. Then there is no layout.
     */
    private StepLayout schedule(final TraceRecord step)
    {
        if (!step.has("fault"))
        {
            return planner.schedule();
        }
        faults++;
        final String fault = step.text("fault");
        try
        {
            return planner.schedule();
        }
        catch (final MegatronFailure e)
        {
            check("reason of a " + fault, MegatronFailure.Kind.BROKEN_PREFIX, e.kind());
            check("fault", fault, e.kind().original());
            return null;
        }
    }

    private void submitArrivals(final TraceRecord step)
    {
        for (final TraceRecord arrival : step.records("arrivals"))
        {
            arrival.only("an arrival", Set.of("id", "prompt", "generate"));
            final int[] prompt = arrival.integers("prompt");
            final long[] hashes = new long[prompt.length];
            hasher.hash(prompt, prompt.length, NO_CACHE_KEY, hashes);
            planner.submit(arrival.number("id"), prompt, prompt.length, hashes, arrival.integer("generate"),
                PagedRequest.NO_STOP_TOKEN);
            arrived++;
        }
    }

    private void checkLayout(final TraceRecord step, final StepLayout layout)
    {
        final TraceRecord recorded = step.record("layout");
        recorded.only("layout", LAYOUT_FIELDS);
        check("layout.paused", recorded.integer("paused"), layout.pausedRequests());
        check("layout.total", recorded.integer("total"), layout.totalRequests());
        check("layout.ids", recorded.list("ids"), ids());
        check("layout.query", recorded.list("query"), longs(layout.activeRows(), layout::queryTokens));
        check("layout.kv_offset", recorded.list("kv_offset"), longs(layout.activeRows(), layout::kvOffset));
        check("layout.blocks", recorded.list("blocks"), blocks());
        check("layout.token_block", tokenBlocks(step, recorded), longs(layout.tokenCount(), layout::tokenBlock));
        check("layout.token_pos", recorded.list("token_pos"), longs(layout.tokenCount(), layout::tokenOffset));
        check("layout.token_id", recorded.list("token_id"), longs(layout.tokenCount(), layout::tokenId));
        check("layout.avail", recorded.integer("avail"), planner.allocator().totalAvailable());
        check("layout.allocatable", recorded.integer("allocatable"), planner.allocator().allocatableCount());
    }

    private static List<?> tokenBlocks(final TraceRecord step, final TraceRecord layout)
    {
        if (!step.has("upstream_defect"))
        {
            return layout.list("token_block");
        }
        final TraceRecord defect = step.record("upstream_defect");
        defect.only("upstream_defect", Set.of("token_block_by_block_table"));
        final List<?> byBlockTable = defect.list("token_block_by_block_table");
        check("a defect that changes nothing", false, byBlockTable.equals(layout.list("token_block")));
        return byBlockTable;
    }

    /** The rows of all that is live, as computed until now, are those that the oracle has for their recorded blocks. */
    private void checkLiveRows(final TraceRecord layout)
    {
        final List<?> blocks = layout.list("blocks");
        for (int row = 0; row < blocks.size(); row++)
        {
            final PagedRequest request = planner.rows().request(row);
            checkRows("live request " + request.id() + ", routing", request, request.kvOffset(), (List<?>)blocks.get(row));
        }
    }

    /** Returns the checksum of the request's first rows, which are all there and are those of the oracle. */
    private String checkRows(final String name, final PagedRequest request, final int count, final List<?> blocks)
    {
        check(name + ", rows that are there", count, rowsThere(request, count));
        final String crc = payload.crc(IntStream.range(0, count)
            .flatMap(position -> Arrays.stream(request.row(position, blockSize))).toArray());
        final int[] tokens = IntStream.range(0, count).map(request::token).toArray();
        check(name + " by the oracle", payload.crc(oracle.rows(blocks, count, tokens)), crc);
        return crc;
    }

    private int rowsThere(final PagedRequest request, final int count)
    {
        return (int)IntStream.range(0, count).filter(position -> request.row(position, blockSize) != null).count();
    }

    /**
     * The driver records a stall when several steps in a row computed nothing. The planner knows it at the first, so what
     * is held against it is that it says so when the driver does, and that it never says so in vain.
     */
    private void checkStall(final TraceRecord step, final StepLayout layout)
    {
        check("tokens in a step after the planner had said that none will come", false, stalled && layout.tokenCount() > 0);
        stalled = planner.isStalled();
        if (step.has("stall"))
        {
            check("stall", step.flag("stall"), stalled);
            stalls++;
        }
    }

    private void complete(final TraceRecord step, final StepLayout layout)
    {
        final long seed = step.number("routing_seed");
        final int tokens = layout.tokenCount();
        oracle.computed(step.record("layout"), seed);
        if (draftTokens > 0 && isRecorded(step, "accepted"))
        {
            planner.verify(step.integers("accepted"));
            compare(step, "rewound_blocks", longs(planner.rewoundCount(), planner::rewoundBlock));
        }
        planner.storeRows(payload.rows(tokens, seed));
        if (isRecorded(step, "sampled"))
        {
            planner.update(step.integers("sampled"), drafts(step));
            checkUpdate(step, layout);
        }
    }

    private void checkUpdate(final TraceRecord step, final StepLayout layout)
    {
        compare(step, "newly_paused", ids(planner.newlyPausedCount(), planner::newlyPaused));
        compare(step, "evicted", ids(planner.evictedCount(), planner::evicted));
        if (isRecorded(step, "finished"))
        {
            checkFinished(step);
        }
        if (isRecorded(step, "after"))
        {
            checkAfter(step.record("after"), layout);
        }
    }

    private int[] drafts(final TraceRecord step)
    {
        return draftTokens == 0 ? null : step.list("drafts").stream()
            .flatMap(row -> ((List<?>)row).stream()).mapToInt(id -> Math.toIntExact((Long)id)).toArray();
    }

    private void checkFinished(final TraceRecord step)
    {
        final List<TraceRecord> recorded = step.records("finished");
        check("finished", recorded.stream().map(each -> each.get("id")).toList(),
            ids(planner.finishedCount(), planner::finished));
        for (int i = 0; i < recorded.size(); i++)
        {
            final PagedRequest request = planner.finished(i);
            checkFinished(recorded.get(i), request, step);
            planner.recycle(request);
        }
    }

    private void checkFinished(final TraceRecord recorded, final PagedRequest request, final TraceRecord step)
    {
        recorded.only("finished", FINISHED_FIELDS);
        final String name = "finished request " + request.id() + ", ";
        check(name + "blocks", recorded.list("blocks"), longs(request.blockCount(), request::block));
        check(name + "tokens", recorded.integer("tokens"), request.tokenCount());
        check(name + "segments", recorded.integer("segments"), request.segments());
        check(name + "cached_tokens", recorded.integer("cached_tokens"), request.cachedTokens());
        checkRouting(recorded, request, step);
    }

    /**
     * The original deletes the routing of a block that it hands out, and reads that of finished requests only after the
     * same update. If it found none, and the update handed a block of the request out to another, ours must be what
     * the oracle says. There is no other reason for none: a finished request has at least one row, and each of its
     * blocks holds at least one accepted token, because rejected ones were taken back with the blocks that they alone
     * had reached. Should a trace record none otherwise, ours must be incomplete too.
     */
    private void checkRouting(final TraceRecord recorded, final PagedRequest request, final TraceRecord step)
    {
        final int count = request.tokenCount() - 1;
        final String name = "finished request " + request.id() + ", routing";
        final TraceRecord routing = recorded.record("routing");
        if (routing == null && !isHandedOutAgain(recorded.list("blocks"), step))
        {
            check(name + " is complete although none was recorded and no block was handed out again", false,
                rowsThere(request, count) == count);
            return;
        }
        final String crc = checkRows(name, request, count, recorded.list("blocks"));
        if (routing == null)
        {
            keptRouting++;
            return;
        }
        routing.only("routing", Set.of("shape", "crc"));
        check(name + ".shape", routing.list("shape"), List.of((long)count, (long)shape.moeLayers(), (long)shape.topK()));
        check(name + ".crc", routing.text("crc"), crc);
    }

    /**
     * Whether a request has one of these blocks after the update that it had not before: a sharer of a prefix had it.
     * If the original threw before that was recorded, it may have.
     */
    private static boolean isHandedOutAgain(final List<?> blocks, final TraceRecord step)
    {
        if (!isRecorded(step, "after"))
        {
            return true;
        }
        final TraceRecord before = step.record("layout");
        final TraceRecord after = step.record("after");
        for (int row = 0; row < after.list("ids").size(); row++)
        {
            final int rowBefore = before.list("ids").indexOf(after.list("ids").get(row));
            final List<?> own = rowBefore < 0 ? List.of() : (List<?>)before.list("blocks").get(rowBefore);
            if (((List<?>)after.list("blocks").get(row)).stream().anyMatch(
                block -> blocks.contains(block) && !own.contains(block)))
            {
                return true;
            }
        }
        return false;
    }

    private void checkAfter(final TraceRecord after, final StepLayout layout)
    {
        final Set<String> fields = new TreeSet<>(AFTER_FIELDS);
        fields.addAll(prefixCaching ? AFTER_FIELDS_OF_CACHING : Set.of());
        after.only("after", fields);
        final RequestRowTable rows = planner.rows();
        final KvBlockPool allocator = planner.allocator();
        check("after.paused", after.integer("paused"), rows.pausedRequests());
        check("after.total", after.integer("total"), rows.totalRequests());
        check("after.ids", after.list("ids"), ids());
        check("after.blocks", after.list("blocks"), blocks());
        check("after.last_offset", after.list("last_offset"),
            longs(rows.totalRequests(), row -> rows.request(row).lastOffset()));
        check("after.kv_offset", after.list("kv_offset"), longs(rows.totalRequests(), row -> rows.request(row).kvOffset()));
        check("after.active_tokens", after.integer("active_tokens"), layout.tokenCount());
        check("after.waiting", after.list("waiting"), waiting());
        check("after.avail", after.integer("avail"), allocator.totalAvailable());
        check("after.allocatable", after.integer("allocatable"), allocator.allocatableCount());
        check("after.active_used", after.integer("active_used"), allocator.activeUsed());
        check("after.paused_used", after.integer("paused_used"), allocator.pausedUsed());
        check("after.free", after.list("free"), longs(allocator.totalAvailable(), allocator::freeBlock));
        if (prefixCaching)
        {
            check("after.refs", after.list("refs"), longs(poolSize, allocator::refCount));
            check("after.registered", after.list("registered"), IntStream.range(0, poolSize)
                .filter(block -> allocator.blockHash(block) != KvBlockAllocator.NO_HASH).mapToObj(Long::valueOf).toList());
        }
    }

    private List<Long> waiting()
    {
        return Arrays.stream(planner.waitingIds()).boxed().toList();
    }

    private List<Long> ids()
    {
        return ids(planner.rows().totalRequests(), planner.rows()::request);
    }

    private static List<Long> ids(final int count, final IntFunction<PagedRequest> requests)
    {
        return IntStream.range(0, count).mapToObj(i -> requests.apply(i).id()).toList();
    }

    private List<List<Long>> blocks()
    {
        final RequestRowTable rows = planner.rows();
        final List<List<Long>> blocks = new ArrayList<>();
        for (int row = 0; row < rows.totalRequests(); row++)
        {
            final int of = row;
            blocks.add(longs(rows.blockCount(row), index -> rows.blockId(of, index)));
        }
        return blocks;
    }

    private static List<Long> longs(final int count, final IntUnaryOperator values)
    {
        return IntStream.range(0, count).mapToObj(i -> (long)values.applyAsInt(i)).toList();
    }
}
