// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.compare.ComparisonConfig;
import io.signalbox.config.Setting;
import io.signalbox.cuda.check.CheckConfig;
import io.signalbox.cuda.check.CheckLimits;
import io.signalbox.cuda.check.OverheadCell;
import io.signalbox.engine.EngineConfig;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.JournalConfig;
import io.signalbox.scheduler.BatchSettings;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.D2hDelay;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.StepCost;
import io.signalbox.workload.AgentTraceConfig;
import io.signalbox.workload.Cancellations;
import io.signalbox.workload.FirstRequests;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.HastenedArrivals;
import io.signalbox.workload.Tenants;
import picocli.CommandLine.Model.CommandSpec;

import java.util.Map;
import java.util.TreeMap;

/** The options that set settings of the library, whose refusals name settings. */
public final class OptionNames
{
    /** By the setting's name: a setting of one name has the same option in every configuration. */
    private static final Map<String, String> OPTIONS = new TreeMap<>();

    static
    {
        ofScheduler();
        ofSimulation();
        ofWorkload();
        ofCheck();
    }

    private OptionNames()
    {
    }

    private static void ofScheduler()
    {
        put(SchedulerConfig.RANKS, "--ranks");
        put(SchedulerConfig.KV_BLOCKS, "--kv-blocks");
        put(SchedulerConfig.BLOCK_SIZE_TOKENS, "--block-size");
        put(SchedulerConfig.EVICTION_POLICY, "--eviction");
        put(SchedulerConfig.PREFIX_CACHING, "--no-prefix-caching");
        put(SchedulerConfig.MAX_RUNNING, "--max-running");
        put(SchedulerConfig.MAX_QUEUED, "--max-queued");
        put(SchedulerConfig.STEP_TOKENS, "--step-tokens");
        put(SchedulerConfig.LOCK_STEP, "--lock-step");
        put(SchedulerConfig.DEPTH, "--depth");
        put(SchedulerConfig.DRAFT_TOKENS, "--draft-tokens");
        put(SchedulerConfig.SAME_STEP_SHARING, "--no-same-step-sharing");
        put(BatchSettings.UNDER_PRESSURE, "--under-pressure");
        put(BatchSettings.PAUSED_BLOCKS, "--paused-blocks");
        put(BatchSettings.MAX_PREEMPTIONS, "--max-preemptions");
        put(BatchSettings.ADMISSION_PROMISE, "--admission-promise");
        put(BatchSettings.WATERMARK_BLOCKS, "--watermark-blocks");
        put(BatchSettings.LONG_PREFILL_TOKENS, "--long-prefill-tokens");
        put(BatchSettings.MAX_LONG_PREFILLS, "--max-long-prefills");
        put(BatchSettings.QUEUE_ORDER, "--queue-order");
        put(BatchSettings.TENANT_WEIGHTS, "--tenant-weights");
        put(BatchSettings.MAX_TENANTS, "--max-tenants");
        put(SchedulerConfig.CAPTURE, "--no-capture");
        put(ModelShape.MOE_LAYERS, "--moe-layers");
        put(ModelShape.LAYER_IDS, "--layer-ids");
        put(ModelShape.COMBINE_WEIGHTS, "--combine-weights");
        put(ModelShape.EXPERTS, "--experts");
        put(ModelShape.TOP_K, "--top-k");
        put(EngineConfig.INGRESS_SLOTS, "--ring-size");
        put(JournalConfig.DURABILITY, "--durability");
        put(JournalConfig.SEGMENT_BYTES, "--segment-bytes");
        put(JournalConfig.SNAPSHOT_EVERY, "--snapshot-every");
        put(JournalConfig.MOST_BYTES, "--most-bytes");
        put(JournalConfig.MOST_SEGMENTS, "--most-segments");
        OPTIONS.put("router", "--router");
        OPTIONS.put("label", "--router");
        OPTIONS.put("beta", "--beta");
        OPTIONS.put("backend", "--backend");
        OPTIONS.put("maxNewTokens", "--max-new-tokens");
        OPTIONS.put("temperature", "--temperature");
        OPTIONS.put("topP", "--top-p");
    }

    private static void ofSimulation()
    {
        put(SimulationConfig.SEED, "--seed");
        put(SimulationConfig.EXPERT_SKEW, "--expert-skew");
        put(SimulationConfig.DRAFT_ACCEPTANCE, "--draft-acceptance");
        put(StepCost.BASE_NANOS, "--step-base-nanos");
        put(StepCost.PER_PREFILL_TOKEN_NANOS, "--prefill-token-nanos");
        put(StepCost.PER_DECODE_ENTRY_NANOS, "--decode-entry-nanos");
        put(StepCost.PER_CONTEXT_TOKEN_PICOS, "--context-token-picos");
        put(D2hDelay.BASE_NANOS, "--d2h-base-nanos");
        put(D2hDelay.PER_ROW_PICOS, "--d2h-row-picos");
        put(D2hDelay.JITTER_NANOS, "--d2h-jitter-nanos");
        put(ComparisonConfig.FIRST_SEED, "--seed");
        put(ComparisonConfig.SEEDS, "--seeds");
        put(ComparisonConfig.WORKERS, "--workers");
        OPTIONS.put("expertDevices", "--expert-devices");
        OPTIONS.put("workloads", "--workloads");
        OPTIONS.put("routers", "--routers");
    }

    private static void ofWorkload()
    {
        OPTIONS.put("workload", "--workload");
        put(GeneratedWorkloadConfig.CONVERSATIONS, "--conversations");
        put(GeneratedWorkloadConfig.CLIENTS, "--clients");
        put(GeneratedWorkloadConfig.ARRIVALS, "--arrivals");
        put(GeneratedWorkloadConfig.SYSTEM_PROMPT_TOKENS, "--system-prompt");
        put(GeneratedWorkloadConfig.TURNS, "--turns");
        put(GeneratedWorkloadConfig.USER_TOKENS, "--user-tokens");
        put(GeneratedWorkloadConfig.OUTPUT_TOKENS, "--output-tokens");
        put(GeneratedWorkloadConfig.MEAN_THINK_TIME_NANOS, "--think-time");
        put(GeneratedWorkloadConfig.MAX_CONTEXT_TOKENS, "--max-context");
        put(AgentTraceConfig.CONCURRENT_PLAYS, "--plays");
        put(AgentTraceConfig.MEAN_STAGGER_NANOS, "--stagger");
        put(AgentTraceConfig.MAX_THINK_TIME_NANOS, "--max-think-time");
        put(AgentTraceConfig.SHARED_PROMPTS, "--separate-plays");
        put(FirstRequests.COUNT, "--limit");
        put(HastenedArrivals.SPEED, "--speed");
        put(Tenants.SHARES, "--tenants");
        put(Cancellations.FRACTION, "--cancel-fraction");
        put(Cancellations.MEAN_DELAY_NANOS, "--cancel-after");
    }

    private static void ofCheck()
    {
        put(CheckConfig.DEVICE, "--device");
        put(CheckConfig.TOKENS, "--batch");
        put(CheckConfig.ROUNDS, "--rounds");
        put(CheckConfig.CHECKED_STEPS, "--checked-steps");
        put(CheckConfig.TIMED_STEPS, "--steps");
        put(CheckConfig.SOAK_SECONDS, "--soak");
        put(CheckConfig.SAMPLES, "--samples");
        put(CheckLimits.SECTION_SECONDS, "--section-limit");
        put(CheckLimits.SANITIZER_SECONDS, "--sanitizer-limit");
        put(OverheadCell.BATCH, "--cells");
        put(OverheadCell.MAX_TOKENS, "--cells");
        put(OverheadCell.MILLIS, "--step-time");
    }

    private static void put(final Setting<?> setting, final String option)
    {
        OPTIONS.put(setting.name(), option);
    }

    /** The option that sets a setting of this name, in the commands that have such an option; {@code null} if none does. */
    public static String of(final String setting)
    {
        return OPTIONS.get(setting);
    }

    /** The same refusal with the options of the command in the place of the settings that they set. */
    public static ConfigException named(final ConfigException fault, final CommandSpec command)
    {
        return fault.renamed(setting ->
        {
            final String option = of(setting);
            return option != null && command.findOption(option) != null ? option : setting;
        });
    }
}
