// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;

import java.util.Map;
import java.util.TreeMap;

/**
 * Configuration of the simulated backend.
 *
 * @param seed       of sampled tokens, routed experts and D2H jitter.
 * @param expertSkew exponent of the Zipf-like popularity of experts within a layer; 0: all alike. The default comes
 *                   near to a capture of granite-3.0-1b-a400m (24 layers, 32 experts, top-8), whose layers have 2.95
 *                   times the mean load on their busiest expert and a coefficient of variation of 0.72.
 * @param draftAcceptance how likely a draft token is right if those before it are, from 0 to 1.
 * @param faults     null: nothing goes wrong.
 */
public record SimulationConfig(
    long seed, StepCost stepCost, D2hDelay d2hDelay, double expertSkew, double draftAcceptance, FaultPlan faults)
{
    public static final SimulationConfig DEFAULT = new SimulationConfig(1, StepCost.DEFAULT, D2hDelay.DEFAULT, 0.7, 0.7, null);

    public SimulationConfig
    {
        if (!(expertSkew >= 0.0 && expertSkew <= 5.0))
        {
            throw new ConfigException("expert skew " + expertSkew + " is not between 0 and 5; give the Zipf exponent.");
        }
        if (!(draftAcceptance >= 0.0 && draftAcceptance <= 1.0))
        {
            throw ConfigException.of("draftAcceptance", Double.toString(draftAcceptance), "a number between 0 and 1",
                "give how likely a draft token is right");
        }
    }

    public SimulationConfig withSeed(final long value)
    {
        return new SimulationConfig(value, stepCost, d2hDelay, expertSkew, draftAcceptance, faults);
    }

    public SimulationConfig withStepCost(final StepCost value)
    {
        return new SimulationConfig(seed, value, d2hDelay, expertSkew, draftAcceptance, faults);
    }

    public SimulationConfig withD2hDelay(final D2hDelay value)
    {
        return new SimulationConfig(seed, stepCost, value, expertSkew, draftAcceptance, faults);
    }

    public SimulationConfig withExpertSkew(final double value)
    {
        return new SimulationConfig(seed, stepCost, d2hDelay, value, draftAcceptance, faults);
    }

    public SimulationConfig withDraftAcceptance(final double value)
    {
        return new SimulationConfig(seed, stepCost, d2hDelay, expertSkew, value, faults);
    }

    /** @param value null: nothing goes wrong. */
    public SimulationConfig withFaults(final FaultPlan value)
    {
        return new SimulationConfig(seed, stepCost, d2hDelay, expertSkew, draftAcceptance, value);
    }

    /** Name and value of every setting, sorted by name. */
    public Map<String, String> settings()
    {
        final Map<String, String> settings = new TreeMap<>();
        settings.put("sim.seed", Long.toString(seed));
        settings.put("sim.stepCost.baseNanos", Long.toString(stepCost.baseNanos()));
        settings.put("sim.stepCost.perPrefillTokenNanos", Long.toString(stepCost.perPrefillTokenNanos()));
        settings.put("sim.stepCost.perDecodeRowNanos", Long.toString(stepCost.perDecodeRowNanos()));
        settings.put("sim.stepCost.perContextTokenPicos", Long.toString(stepCost.perContextTokenPicos()));
        settings.put("sim.d2hDelay.baseNanos", Long.toString(d2hDelay.baseNanos()));
        settings.put("sim.d2hDelay.perRowPicos", Long.toString(d2hDelay.perRowPicos()));
        settings.put("sim.d2hDelay.jitterNanos", Long.toString(d2hDelay.jitterNanos()));
        settings.put("sim.expertSkew", Double.toString(expertSkew));
        settings.put("sim.draftAcceptance", Double.toString(draftAcceptance));
        settings.put("sim.expertModelVersion", Integer.toString(ExpertModel.VERSION));
        if (faults != null)
        {
            settings.put("sim.faults", faults.text());
        }
        return settings;
    }
}
