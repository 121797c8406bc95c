// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.cost.ServedStepCost;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.AcceptanceSeries;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Configuration of the simulated backend.
 *
 * @param seed       of sampled tokens, routed experts and D2H jitter.
 * @param expertSkew exponent of the Zipf-like popularity of experts within a layer; 0: all alike. The default comes
 *                   near to a capture of granite-3.0-1b-a400m (24 layers, 32 experts, top-8), whose layers have 2.95
 *                   times the mean load on their busiest expert and a coefficient of variation of 0.72.
 * @param draftAcceptance how likely a draft token is right if those before it are, from 0 to 1.
 * @param acceptanceSeries null: by that probability. Otherwise it says which draft tokens are right.
 * @param faults     null: nothing goes wrong.
 * @param newWeights null: the weights stay.
 * @param servedCost null: {@link #stepCost} counts. Otherwise steps cost what they cost on this deployment.
 * @param residuals  null: steps take as long as {@link #stepCost} says. Otherwise they differ from it as recorded ones did.
 */
public record SimulationConfig(
    long seed,
    StepCost stepCost,
    D2hDelay d2hDelay,
    double expertSkew,
    double draftAcceptance,
    AcceptanceSeries acceptanceSeries,
    FaultPlan faults,
    WeightsPlan newWeights,
    ServedStepCost servedCost,
    StepResiduals residuals)
{
    /** Begins the names of its settings in a run description. */
    public static final String PREFIX = "sim.";
    private static final String SERVED_COST = PREFIX + "servedCost";

    public static final Setting<Long> SEED = Setting.number("seed", "", 1, Long.MIN_VALUE, Long.MAX_VALUE,
        "Seed of sampled tokens, routed experts and D2H jitter.")
        .option("--seed", "N", "Seed workload, sampled tokens and routed experts with N")
        .elsewhere("seed", "random_seed", "");
    public static final Setting<Double> EXPERT_SKEW = Setting.real("expertSkew", "", 0.7, 0.0, 5.0,
        "Exponent of the Zipf-like popularity of experts within a layer; 0: all alike.").remedy("give the Zipf exponent")
        .option("--expert-skew", "EXPONENT", "Draw experts with this Zipf exponent; 0: all alike")
        .onlyWith(SchedulerConfig.CAPTURE);
    public static final Setting<Double> DRAFT_ACCEPTANCE = Setting.real("draftAcceptance", "", 0.7, 0.0, 1.0,
        "How likely a draft token is right if those before it are.")
        .option("--draft-acceptance", "PROBABILITY",
            "Accept a draft token with this probability if those before it are right")
        .onlyAboveZero(SchedulerConfig.DRAFT_TOKENS);
    public static final List<Setting<?>> SETTINGS = Stream.of(
        List.of(SEED, EXPERT_SKEW, DRAFT_ACCEPTANCE), StepCost.SETTINGS, D2hDelay.SETTINGS)
        .<Setting<?>>flatMap(List::stream).toList();

    public static final SimulationConfig DEFAULT =
        new SimulationConfig(SEED.defaultValue(), StepCost.DEFAULT, D2hDelay.DEFAULT, EXPERT_SKEW.defaultValue(),
            DRAFT_ACCEPTANCE.defaultValue(), null, null, null, null, null);

    public SimulationConfig
    {
        EXPERT_SKEW.check(expertSkew);
        DRAFT_ACCEPTANCE.check(draftAcceptance);
    }

    public SimulationConfig withSeed(final long value)
    {
        return new SimulationConfig(
            value, stepCost, d2hDelay, expertSkew, draftAcceptance, acceptanceSeries, faults, newWeights, servedCost,
            residuals);
    }

    public SimulationConfig withStepCost(final StepCost value)
    {
        return new SimulationConfig(
            seed, value, d2hDelay, expertSkew, draftAcceptance, acceptanceSeries, faults, newWeights, servedCost,
            residuals);
    }

    public SimulationConfig withD2hDelay(final D2hDelay value)
    {
        return new SimulationConfig(
            seed, stepCost, value, expertSkew, draftAcceptance, acceptanceSeries, faults, newWeights, servedCost,
            residuals);
    }

    public SimulationConfig withExpertSkew(final double value)
    {
        return new SimulationConfig(
            seed, stepCost, d2hDelay, value, draftAcceptance, acceptanceSeries, faults, newWeights, servedCost,
            residuals);
    }

    public SimulationConfig withDraftAcceptance(final double value)
    {
        return new SimulationConfig(
            seed, stepCost, d2hDelay, expertSkew, value, acceptanceSeries, faults, newWeights, servedCost,
            residuals);
    }

    /** @param value null: {@link #draftAcceptance} decides. */
    public SimulationConfig withAcceptanceSeries(final AcceptanceSeries value)
    {
        return new SimulationConfig(
            seed, stepCost, d2hDelay, expertSkew, draftAcceptance, value, faults, newWeights, servedCost,
            residuals);
    }

    /** @param value null: nothing goes wrong. */
    public SimulationConfig withFaults(final FaultPlan value)
    {
        return new SimulationConfig(
            seed, stepCost, d2hDelay, expertSkew, draftAcceptance, acceptanceSeries, value, newWeights, servedCost,
            residuals);
    }

    /** @param value null: the weights stay. */
    public SimulationConfig withNewWeights(final WeightsPlan value)
    {
        return new SimulationConfig(
            seed, stepCost, d2hDelay, expertSkew, draftAcceptance, acceptanceSeries, faults, value, servedCost,
            residuals);
    }

    /** @param value null: the linear cost counts. */
    public SimulationConfig withServedCost(final ServedStepCost value)
    {
        return new SimulationConfig(
            seed, stepCost, d2hDelay, expertSkew, draftAcceptance, acceptanceSeries, faults, newWeights, value, residuals);
    }

    /** @param value null: steps take as long as the linear cost says. */
    public SimulationConfig withResiduals(final StepResiduals value)
    {
        return new SimulationConfig(seed, stepCost, d2hDelay, expertSkew, draftAcceptance, acceptanceSeries, faults,
            newWeights, servedCost, value);
    }

    /**
     * Reads what {@link #settings()} wrote, except for accepted drafts and residuals, of which it has a hash only; names of
     * other objects are left alone.
     *
     * @throws io.signalbox.ConfigException if a setting is missing or has a value that is not allowed.
     */
    public static SimulationConfig of(final Map<String, String> settings)
    {
        final String faults = settings.get(PREFIX + "faults");
        final String newWeights = settings.get(PREFIX + "newWeights");
        final String served = settings.get(SERVED_COST);
        final boolean isSeeded = settings.containsKey(PREFIX + DRAFT_ACCEPTANCE.name());
        return new SimulationConfig(SEED.read(PREFIX, settings),
            new StepCost(StepCost.BASE_NANOS.read(PREFIX, settings), StepCost.PER_PREFILL_TOKEN_NANOS.read(PREFIX, settings),
                StepCost.PER_DECODE_ENTRY_NANOS.read(PREFIX, settings),
                StepCost.PER_CONTEXT_TOKEN_PICOS.read(PREFIX, settings)),
            new D2hDelay(D2hDelay.BASE_NANOS.read(PREFIX, settings), D2hDelay.PER_ROW_PICOS.read(PREFIX, settings),
                D2hDelay.JITTER_NANOS.read(PREFIX, settings)),
            EXPERT_SKEW.read(PREFIX, settings),
            isSeeded ? DRAFT_ACCEPTANCE.read(PREFIX, settings) : DRAFT_ACCEPTANCE.defaultValue(), null,
            faults == null ? null : FaultPlan.parse(faults), newWeights == null ? null : WeightsPlan.parse(newWeights),
            served == null ? null : ServedStepCost.parse(served), null);
    }

    /** Whether a run description is of simulated ranks. */
    public static boolean isIn(final Map<String, String> settings)
    {
        return settings.containsKey(PREFIX + SEED.name());
    }

    /** Name and value of every setting, sorted by name. */
    public Map<String, String> settings()
    {
        final Map<String, String> settings = SettingValues.defaults("the simulated backend", SETTINGS)
            .with(SEED, seed)
            .with(StepCost.BASE_NANOS, stepCost.baseNanos())
            .with(StepCost.PER_PREFILL_TOKEN_NANOS, stepCost.perPrefillTokenNanos())
            .with(StepCost.PER_DECODE_ENTRY_NANOS, stepCost.perDecodeEntryNanos())
            .with(StepCost.PER_CONTEXT_TOKEN_PICOS, stepCost.perContextTokenPicos())
            .with(D2hDelay.BASE_NANOS, d2hDelay.baseNanos())
            .with(D2hDelay.PER_ROW_PICOS, d2hDelay.perRowPicos())
            .with(D2hDelay.JITTER_NANOS, d2hDelay.jitterNanos())
            .with(EXPERT_SKEW, expertSkew)
            .with(DRAFT_ACCEPTANCE, draftAcceptance)
            .print(PREFIX);
        settings.put(PREFIX + "expertModelVersion", Integer.toString(ExpertModel.VERSION));
        if (acceptanceSeries != null)
        {
            settings.remove(PREFIX + DRAFT_ACCEPTANCE.name());
            settings.put(PREFIX + "acceptanceSeries.file", acceptanceSeries.name());
            settings.put(PREFIX + "acceptanceSeries.contentHash", Long.toHexString(acceptanceSeries.contentHash()));
        }
        if (faults != null)
        {
            settings.put(PREFIX + "faults", faults.text());
        }
        if (newWeights != null)
        {
            settings.put(PREFIX + "newWeights", newWeights.text());
        }
        if (servedCost != null)
        {
            settings.put(SERVED_COST, servedCost.text());
        }
        if (residuals != null)
        {
            settings.put(PREFIX + "stepResiduals", residuals.text());
        }
        return settings;
    }
}
