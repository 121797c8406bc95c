// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

import io.signalbox.ConfigException;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.Checkpoint;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.LoadProgress;
import io.signalbox.model.ModelWeights;
import io.signalbox.sim.SimulationConfig;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** How a run description names a model, and how the model is found again. */
public final class RecordedModel
{
    /** The setting that names the backend. */
    public static final String BACKEND = "run.backend";
    /** SHA-256 that identifies the model. */
    public static final String DIGEST = "run.model.digest";

    private static final String NAME = "run.model";
    private static final String FAMILY = NAME + ".family";
    private static final String WEIGHTS = NAME + ".weights";
    private static final String TYPE = NAME + ".type";
    private static final String SEED = NAME + ".seed";
    private static final String CHECKPOINT = "checkpoint";
    private static final String BUILT_IN = "built-in";
    private static final String RANDOM = "random";

    private RecordedModel()
    {
    }

    /** The model in a run description, without its digest. */
    public static Map<String, String> settings(
        final DecoderPlan plan, final Path directory, final Path config, final long seed)
    {
        final Map<String, String> settings = new TreeMap<>();
        settings.put(NAME, directory != null ? CHECKPOINT : config != null ? RANDOM : BUILT_IN);
        settings.put(FAMILY, plan.family().modelType());
        settings.put(WEIGHTS, Long.toString(plan.parameters()));
        settings.put(TYPE, type(plan));
        if (directory == null)
        {
            settings.put(SEED, Long.toString(seed));
        }
        return settings;
    }

    private static String type(final DecoderPlan plan)
    {
        return plan.type().name().toLowerCase(Locale.ROOT);
    }

    /** Opens a checkpoint, or makes random weights. */
    public static ModelWeights open(final Path directory, final Path config, final long seed, final LoadProgress progress)
    {
        if (directory != null && config != null)
        {
            throw new ConfigException("--model and --random-model exclude each other; give one of them.");
        }
        if (directory != null)
        {
            return Checkpoint.open(directory, progress).weights();
        }
        return GeneratedModel.weights(config == null ? GeneratedModel.tiny() : DecoderPlan.of(config), seed, progress);
    }

    /**
     * The model of a run.
     *
     * @param directory as given; {@code null}: not.
     * @param config    as given; {@code null}: not.
     * @param seed      as given; {@code null}: that of the run.
     */
    public static ModelWeights of(
        final Map<String, String> description, final Path directory, final Path config, final Long seed,
        final LoadProgress progress)
    {
        if (directory == null && config == null)
        {
            requireBuiltIn(description, seed);
        }
        final ModelWeights weights =
            open(directory, config, seed == null ? recordedSeed(description) : seed, progress);
        requireShape(weights.plan(), description);
        return weights;
    }

    /** @throws ConfigException if the run with this description computed no model; a simulation computes none. */
    public static void require(final Path journal, final Map<String, String> description)
    {
        final boolean isSimulated = description.keySet().stream().anyMatch(key -> key.startsWith(SimulationConfig.PREFIX));
        if (isSimulated || "false".equals(description.get("backend.readsTokens")))
        {
            throw new ConfigException(journal + " is the journal of " + (isSimulated ? "a simulation" : "the backend " +
                backend(description)) + ", which computed no model, so nothing can be computed again; give the journal of " +
                "'signalbox run'.");
        }
    }

    /** @throws ConfigException if a run with these rows computed another model; {@code null}: it captured none. */
    public static void requireRows(final DecoderPlan plan, final ModelShape captured)
    {
        final ModelShape own = plan.shape();
        if (captured != null && !captured.withCombineWeights(false).equals(own))
        {
            throw new ConfigException("the run captured " + text(captured) + ", and the model that is given has " +
                text(own) + "; give the model of the run.");
        }
    }

    private static String text(final ModelShape shape)
    {
        return shape.topK() + " of " + shape.experts() + " experts in the layers " + shape.layerIds();
    }

    /** The label of the backend that a run description names; {@code null}: none. */
    public static String backend(final Map<String, String> description)
    {
        return description.getOrDefault(BACKEND, description.get("backend.name"));
    }

    private static void requireBuiltIn(final Map<String, String> description, final Long seed)
    {
        final String kind = description.get(NAME);
        if (CHECKPOINT.equals(kind))
        {
            throw new ConfigException("the run computed a checkpoint (" + text(description) +
                "); give its directory with --model.");
        }
        if (RANDOM.equals(kind))
        {
            throw new ConfigException("the run made random weights for a configuration (" + text(description) +
                "); give its config.json with --random-model.");
        }
        if (kind == null && seed == null)
        {
            throw new ConfigException("the journal does not name the model of its run; give it with --model, " +
                "--random-model, or, if it was the built-in one, its --model-seed.");
        }
    }

    private static String text(final Map<String, String> description)
    {
        return description.get(FAMILY) + ", " + description.get(WEIGHTS) + " weights as " + description.get(TYPE);
    }

    private static long recordedSeed(final Map<String, String> description)
    {
        final String recorded = description.getOrDefault(SEED, "1");
        try
        {
            return Long.parseLong(recorded);
        }
        catch (final NumberFormatException e)
        {
            throw new ConfigException("the journal names the seed '" + recorded + "' of its model, which is not a whole " +
                "number; give it with --model-seed.");
        }
    }

    private static void requireShape(final DecoderPlan plan, final Map<String, String> description)
    {
        final Map<String, String> given = settings(plan, null, null, 0);
        for (final String setting : new String[] {FAMILY, WEIGHTS, TYPE})
        {
            if (description.containsKey(setting) && !description.get(setting).equals(given.get(setting)))
            {
                throw new ConfigException("the run computed another model (" + text(description) +
                    ") than the one that is given (" + text(given) + "); give the model of the run.");
            }
        }
    }
}
