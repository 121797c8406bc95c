// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.AdmissionPromise;
import io.signalbox.batch.BatchRules;
import io.signalbox.batch.FairQueue;
import io.signalbox.batch.FirstComeQueue;
import io.signalbox.batch.QueueOrder;
import io.signalbox.batch.TenantWeights;
import io.signalbox.batch.UnderPressure;
import io.signalbox.batch.WaitingQueue;
import io.signalbox.config.Setting;
import io.signalbox.kv.KvBlockConfig;

import java.util.List;

/** Settings of the scheduler about KV blocks that are short, long prompts, and the order of the queue. */
public final class BatchSettings
{
    public static final Setting<UnderPressure> UNDER_PRESSURE = Setting.constant("underPressure",
        UnderPressure.RECOMPUTE, "If a running request lacks a KV block: RECOMPUTE takes the blocks of the request of the " +
            "lowest priority, of these the one admitted last; PAUSE lets the request that lacks one keep its blocks and " +
            "wait.")
        .remedy("give one of them; no KV block moves to host memory")
        .option("--under-pressure", "WAY", "If a running request lacks a KV block: recompute preempts a request; pause " +
            "lets the one that lacks it wait with its blocks");
    public static final Setting<Integer> PAUSED_BLOCKS = Setting.integer("pausedBlocks", "blocks",
        KvBlockConfig.MAX_POOL_SIZE, 0, KvBlockConfig.MAX_POOL_SIZE, "Most KV blocks that paused requests of one rank may " +
            "hold; a request that would pass it leads to a recomputation. A block that two of them share counts twice.")
        .option("--paused-blocks", "N", "Let paused requests hold at most N blocks of a rank")
        .onlyWith(UNDER_PRESSURE, UnderPressure.PAUSE);
    public static final Setting<Integer> MAX_PREEMPTIONS = Setting.integer("maxPreemptions", "", 8, 0, Integer.MAX_VALUE,
        "Most preemptions of a request; after them it is admitted once all blocks that it can need are free, and they are " +
            "promised to it. 0: so is every request.")
        .option("--max-preemptions", "N", "Preempt a request at most N times");
    public static final Setting<AdmissionPromise> ADMISSION_PROMISE = Setting.constant("admissionPromise",
        AdmissionPromise.NOTHING, "Blocks that no other request may take from an admitted one: NOTHING; WHOLE, " +
            "those of its largest output.")
        .option("--admission-promise", "BLOCKS",
            "Promise an admitted request nothing, or the blocks of its whole output")
        .elsewhere("", "schedule_conservativeness", "scheduler_config.capacity_scheduler_policy");
    public static final Setting<Integer> WATERMARK_BLOCKS = Setting.integer("watermarkBlocks", "blocks", 0, 0,
        KvBlockConfig.MAX_POOL_SIZE, "Blocks that an admission leaves free and not promised, if other requests run.")
        .option("--watermark-blocks", "N", "Leave N blocks free when a request is admitted beside others");
    public static final Setting<Integer> LONG_PREFILL_TOKENS = Setting.integer("longPrefillTokens", "tokens", 0, 0,
        1 << 24, "Most prompt tokens of one request in a step; a request with more left is a long one. 0: no limit.")
        .option("--long-prefill-tokens", "N", "Compute at most N prompt tokens of one request in a step; 0: no limit")
        .elsewhere("long_prefill_token_threshold", "", "");
    public static final Setting<Integer> MAX_LONG_PREFILLS = Setting.integer("maxLongPrefills", "requests", 1, 1, 65_536,
        "Most long requests in a step; waiting ones let shorter ones pass. It counts only with longPrefillTokens.")
        .option("--max-long-prefills", "N",
            "Compute at most N prompts in a step that have more than --long-prefill-tokens left")
        .onlyAboveZero(LONG_PREFILL_TOKENS).elsewhere("max_long_partial_prefills", "", "");
    public static final Setting<QueueOrder> QUEUE_ORDER = Setting.constant("queueOrder", QueueOrder.FIRST_COME,
        "Order in which requests of one priority leave the queue: FIRST_COME; FAIR, by which tenants (cache keys) share " +
            "the tokens of the requests that leave.")
        .option("--queue-order", "ORDER",
            "Let requests of one priority leave the queue in this order: first-come, or fair between tenants")
        .elsewhere("scheduling_policy", "schedule_policy", "");
    public static final Setting<TenantWeights> TENANT_WEIGHTS = Setting.form("tenantWeights", "", TenantWeights.EQUAL,
        TenantWeights.FORMS, TenantWeights::parse, TenantWeights::print,
        "Shares of tenants in the FAIR order; a tenant that is not named has weight 1.")
        .option("--tenant-weights", "NAME=WEIGHT",
            "Give tenants these shares of the tokens with --queue-order fair; others have 1")
        .onlyWith(QUEUE_ORDER, QueueOrder.FAIR);
    public static final Setting<Integer> MAX_TENANTS = Setting.integer("maxTenants", "tenants", 64, 1, 4096,
        "Tenants with a separate share in the FAIR order; further ones have one share of weight 1 together.")
        .option("--max-tenants", "N", "Keep shares of N tenants; further ones have one together")
        .onlyWith(QUEUE_ORDER, QueueOrder.FAIR);
    public static final Setting<Boolean> SUSPECT_TURNS = Setting.flag("suspectTurns", true,
        "Whether the requests of failed steps, which are tried apart, and the others that run take turns, step by step; " +
            "else the others wait. A run description names it only if they do.").omitted(false);
    static final List<Setting<?>> ALL = List.of(UNDER_PRESSURE, PAUSED_BLOCKS, MAX_PREEMPTIONS, ADMISSION_PROMISE,
        WATERMARK_BLOCKS, LONG_PREFILL_TOKENS, MAX_LONG_PREFILLS, QUEUE_ORDER, TENANT_WEIGHTS, MAX_TENANTS, SUSPECT_TURNS);

    private BatchSettings()
    {
    }

    static WaitingQueue queue(final SchedulerConfig config)
    {
        return config.get(QUEUE_ORDER) == QueueOrder.FAIR ?
            new FairQueue(config.get(TENANT_WEIGHTS), config.get(MAX_TENANTS)) : new FirstComeQueue();
    }

    /** By what a rank plans its steps. */
    static BatchRules rules(final SchedulerConfig config)
    {
        final int pausedBlocks = config.get(UNDER_PRESSURE) == UnderPressure.PAUSE ? config.get(PAUSED_BLOCKS) : 0;
        return BatchRules.plain(config.maxRunning(), config.stepTokens())
            .withDepth(config.depth(), config.draftTokens())
            .withPressure(pausedBlocks, config.get(MAX_PREEMPTIONS))
            .withAdmission(config.get(ADMISSION_PROMISE), config.get(WATERMARK_BLOCKS))
            .withLongPrefills(config.get(LONG_PREFILL_TOKENS), config.get(MAX_LONG_PREFILLS))
            .withSuspectTurns(config.get(SUSPECT_TURNS));
    }
}
