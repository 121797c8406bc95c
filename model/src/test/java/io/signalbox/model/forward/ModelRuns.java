// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.CheckpointRoundTrip;
import io.signalbox.model.PackedRoundTrip;
import io.signalbox.model.ScratchDirectory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.LongConsumer;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The properties of checkpoints and of the forward pass, for seeds from 0 on; each returns the first failure, or null.
 * Loaded with mutated classes, too: all they give back is text.
 */
public final class ModelRuns
{
    private static final int MOST_THREADS = 4;

    private ModelRuns()
    {
    }

    /** Experts and tokens are chosen as defined. */
    public static String definitions(final int seeds)
    {
        final String failure = firstFailure(seeds, ChoiceByDefinition::check);
        return failure == null ? firstFailure(seeds, TokenByDefinition::check) : failure;
    }

    /** Checkpoints are written and read again. */
    public static String checkpoints(final int seeds)
    {
        return firstFailure(seeds, CheckpointRoundTrip::check);
    }

    /** Compares packed tensors with weights that are unpacked by definition. */
    public static String formats(final int seeds)
    {
        return firstFailure(seeds, PackedRoundTrip::check);
    }

    /** The same bits alone and in mixtures. */
    public static String mixtures(final int seeds)
    {
        return firstFailure(seeds,
            seed -> MixedForward.check(seed, seed % 2 == 1, MOST_THREADS - (int)(seed / 2 % MOST_THREADS)));
    }

    /** The committed fixtures of transformers, whatever the number. */
    public static String transformers(final int ignored)
    {
        return firstFailure(1, seed -> compareFixtures());
    }

    private static void compareFixtures()
    {
        try (ScratchDirectory scratch = new ScratchDirectory())
        {
            for (final Path fixture : CommittedFixtures.unpack(scratch.path()))
            {
                final ConformanceChecks checks = ModelConformanceTest.checks(fixture);
                assertTrue(checks.passed(), checks::failures);
            }
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private static String firstFailure(final int seeds, final LongConsumer property)
    {
        for (long seed = 0; seed < seeds; seed++)
        {
            try
            {
                property.accept(seed);
            }
            catch (final RuntimeException | AssertionError e)
            {
                return "seed " + seed + ": " + e;
            }
        }
        return null;
    }
}
