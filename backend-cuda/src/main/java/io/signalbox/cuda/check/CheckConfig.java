// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.experts.ModelShape;

import java.util.List;
import java.util.Set;

/**
 * Which sections are checked, and how much of each.
 *
 * @param device       the driver's number of the GPU.
 * @param seed         of the random inputs.
 * @param shape        of the routed experts in steps.
 * @param tokens       of one step, 1 to 8,192.
 * @param rounds       fresh inputs per router mode, type and shape; 1 to 1,000.
 * @param checkedSteps steps whose results are held against the oracle, 2 to 1,000,000.
 * @param timedSteps   steps of each run that is timed for the cost of capture, 40 to 1,000,000.
 * @param cells        what is compared for the overhead of capture; at least one.
 * @param modelLayers  of the model of OLMoE-1B-7B's shape; 0: a small model in its place, for a processor; up to 16.
 * @param bitsOnly     whether the section model only compares small models: no engine, no large model, no times.
 * @param soakSeconds  how long requests are served in the section soak, 1 to 3,600.
 * @param samples      of latencies and launch costs, 10 to 1,000,000.
 * @param limits       after which parts are given up.
 * @param command      how to start this check again for compute-sanitizer, without options.
 */
public record CheckConfig(
    int device, long seed, ModelShape shape, int tokens, int rounds, int checkedSteps, int timedSteps,
    List<OverheadCell> cells, int modelLayers, boolean bitsOnly, int soakSeconds, int samples, CheckLimits limits,
    Set<GpuSection> sections, List<String> command)
{
    static final int FEWEST_TIMED_STEPS = 40;
    public static final Setting<Integer> DEVICE = count("device", "", 0, 0, 1023, "The driver's number of the GPU.")
        .option("--device", "N", "Use the GPU that the driver numbers N");
    public static final Setting<Integer> TOKENS = count("tokens", "tokens", 32, 1, 8192, "Tokens of one step.")
        .option("--batch", "N", "Give a step N tokens");
    public static final Setting<Integer> ROUNDS =
        count("rounds", "", 2, 1, 1000, "Fresh inputs per router mode, logits type and shape.")
        .option("--rounds", "N", "Try N fresh inputs per router mode, logit type and shape");
    public static final Setting<Integer> CHECKED_STEPS =
        count("checkedSteps", "steps", 1000, 2, 1_000_000, "Steps whose results are held against the oracle.")
        .option("--checked-steps", "N", "Run N steps in the section steps");
    public static final Setting<Integer> TIMED_STEPS = count("timedSteps", "steps", 1000, FEWEST_TIMED_STEPS, 1_000_000,
        "Steps of each run that is timed for the overhead of capture.")
        .option("--steps", "N", "Run N steps per comparison in the section overhead; model has fewer");
    public static final Setting<Integer> MODEL_LAYERS = count("modelLayers", "", 16, 0, 16,
        "Layers of the model of OLMoE-1B-7B's shape; 0: a small model in its place.")
        .option("--model-layers", "N",
            "Give the large model of the section model N layers, 0 to 16; 0: a small one");
    public static final Setting<Integer> SOAK_SECONDS =
        count("soakSeconds", "s", 10, 1, 3600, "How long requests are served in the section soak.")
        .option("--soak", "S", "Serve requests for S seconds in the section soak");
    public static final Setting<Integer> SAMPLES =
        count("samples", "", 10_000, 10, 1_000_000, "Samples of latencies and launch costs.")
        .option("--samples", "N", "Take N samples of latencies and launch costs");
    public static final List<Setting<?>> SETTINGS =
        List.of(DEVICE, TOKENS, ROUNDS, CHECKED_STEPS, TIMED_STEPS, MODEL_LAYERS, SOAK_SECONDS, SAMPLES);

    public CheckConfig
    {
        sections = Set.copyOf(sections);
        command = List.copyOf(command);
        DEVICE.check(device);
        ExpertRouterSpec.EXPERTS.check(shape.experts());
        ExpertRouterSpec.TOP_K.check(shape.topK());
        TOKENS.check(tokens);
        ROUNDS.check(rounds);
        CHECKED_STEPS.check(checkedSteps);
        TIMED_STEPS.check(timedSteps);
        MODEL_LAYERS.check(modelLayers);
        SOAK_SECONDS.check(soakSeconds);
        SAMPLES.check(samples);
        cells = List.copyOf(cells);
        if (cells.isEmpty())
        {
            throw ConfigException.of("cells", "[]", "one or more comparisons", "give at least one, such as 32@13.2");
        }
    }

    /** A check of the first GPU by the defaults of all settings. */
    public static CheckConfig of(final ModelShape shape, final Set<GpuSection> sections, final List<String> command)
    {
        return new CheckConfig(DEVICE.defaultValue(), 1, shape, TOKENS.defaultValue(), ROUNDS.defaultValue(),
            CHECKED_STEPS.defaultValue(), TIMED_STEPS.defaultValue(), OverheadCell.DEFAULT, MODEL_LAYERS.defaultValue(),
            false, SOAK_SECONDS.defaultValue(), SAMPLES.defaultValue(), CheckLimits.DEFAULT, sections, command);
    }

    public CheckConfig withDevice(final int value)
    {
        return new CheckConfig(value, seed, shape, tokens, rounds, checkedSteps, timedSteps, cells, modelLayers, bitsOnly,
            soakSeconds, samples, limits, sections, command);
    }

    public CheckConfig withSeed(final long value)
    {
        return new CheckConfig(device, value, shape, tokens, rounds, checkedSteps, timedSteps, cells, modelLayers,
            bitsOnly, soakSeconds, samples, limits, sections, command);
    }

    public CheckConfig withTokens(final int value)
    {
        return new CheckConfig(device, seed, shape, value, rounds, checkedSteps, timedSteps, cells, modelLayers, bitsOnly,
            soakSeconds, samples, limits, sections, command);
    }

    public CheckConfig withRounds(final int value)
    {
        return new CheckConfig(device, seed, shape, tokens, value, checkedSteps, timedSteps, cells, modelLayers, bitsOnly,
            soakSeconds, samples, limits, sections, command);
    }

    public CheckConfig withSteps(final int checked, final int timed)
    {
        return new CheckConfig(device, seed, shape, tokens, rounds, checked, timed, cells, modelLayers, bitsOnly,
            soakSeconds, samples, limits, sections, command);
    }

    public CheckConfig withCells(final List<OverheadCell> value)
    {
        return new CheckConfig(device, seed, shape, tokens, rounds, checkedSteps, timedSteps, value, modelLayers,
            bitsOnly, soakSeconds, samples, limits, sections, command);
    }

    public CheckConfig withModel(final int layers, final boolean onlyBits)
    {
        return new CheckConfig(device, seed, shape, tokens, rounds, checkedSteps, timedSteps, cells, layers, onlyBits,
            soakSeconds, samples, limits, sections, command);
    }

    public CheckConfig withSoakSeconds(final int value)
    {
        return new CheckConfig(device, seed, shape, tokens, rounds, checkedSteps, timedSteps, cells, modelLayers,
            bitsOnly, value, samples, limits, sections, command);
    }

    public CheckConfig withSamples(final int value)
    {
        return new CheckConfig(device, seed, shape, tokens, rounds, checkedSteps, timedSteps, cells, modelLayers,
            bitsOnly, soakSeconds, value, limits, sections, command);
    }

    public CheckConfig withLimits(final CheckLimits value)
    {
        return new CheckConfig(device, seed, shape, tokens, rounds, checkedSteps, timedSteps, cells, modelLayers,
            bitsOnly, soakSeconds, samples, value, sections, command);
    }

    private static Setting<Integer> count(
        final String name, final String unit, final int defaultValue, final int min, final int max, final String meaning)
    {
        return Setting.integer(name, unit, defaultValue, min, max, meaning).remedy("give such a number");
    }
}
