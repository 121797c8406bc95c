// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** A generated model, written in a random form: of either type and family, tied or not, fused or not, in files or shards. */
public final class CheckpointRoundTrip
{
    private CheckpointRoundTrip()
    {
    }

    /** Writes a checkpoint of a small plan, which is returned, in shards. */
    public static DecoderPlan write(final Path directory, final long seed, final int shards) throws IOException
    {
        final DecoderPlan plan = SmallPlans.of(WeightType.F32, false);
        final WrittenCheckpoint written = new WrittenCheckpoint(directory, plan, seed);
        written.writeConfig(plan);
        written.writeShards(shards);
        return plan;
    }

    /** Throws an {@link AssertionError} if anything of it is read otherwise. */
    public static void check(final long seed)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final WeightType type = random.nextBoolean() ? WeightType.F32 : WeightType.BF16;
        final boolean tied = random.nextBoolean();
        final boolean gptOss = random.nextInt(3) == 0;
        final DecoderPlan plan = gptOss ? SmallPlans.gptOss(type, tied) : SmallPlans.of(type, tied);
        final boolean fused = !gptOss && random.nextBoolean();
        final int shards = random.nextInt(4);
        try (ScratchDirectory scratch = new ScratchDirectory())
        {
            final WrittenCheckpoint written = new WrittenCheckpoint(scratch.path(), plan, seed);
            written.writeConfig(plan);
            if (fused)
            {
                written.fuse(plan);
            }
            if (shards == 0)
            {
                written.writeSingle();
            }
            else
            {
                written.writeShards(shards);
            }
            assertTrue(SmallPlans.same(GeneratedModel.weights(plan, seed), Checkpoint.open(scratch.path()).weights()),
                "checkpoint of seed " + seed + ", " + plan.family() + ", " + plan.type() + ", " +
                shards + " shards" + (fused ? ", fused" : ""));
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
