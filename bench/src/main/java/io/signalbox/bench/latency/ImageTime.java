// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import io.signalbox.Quantiles;
import io.signalbox.StateDigest;
import io.signalbox.image.SchedulerImage;
import io.signalbox.scheduler.CachedPrefixes;
import io.signalbox.scheduler.CachedPrefixes.Block;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Processor time in which the image of a scheduler is written and read whose pools are full of cached blocks. */
public final class ImageTime
{
    private static final int PROMPT_BLOCKS = 64;
    private static final int WARMUPS = 3;
    private static final int ROUNDS = 7;
    private static final double NANOS_PER_MILLI = 1e6;

    private ImageTime()
    {
    }

    /** @param arguments ranks (64) and KV blocks of each (16384). */
    public static void main(final String[] arguments) throws IOException
    {
        final int ranks = arguments.length < 1 ? 64 : Integer.parseInt(arguments[0]);
        final int blocks = arguments.length < 2 ? 16_384 : Integer.parseInt(arguments[1]);
        final SchedulerConfig config = SchedulerConfig.builder().ranks(ranks).kvBlocks(blocks).build();
        final Scheduler scheduler = new Scheduler(config);
        new CachedPrefixes(prefixes(ranks, blocks - 1)).fill(scheduler, ranks);
        final double[] written = new double[ROUNDS];
        final double[] read = new double[ROUNDS];
        final ByteArrayOutputStream image = new ByteArrayOutputStream();
        for (int round = -WARMUPS; round < ROUNDS; round++)
        {
            image.reset();
            final long start = cpuNanos();
            SchedulerImage.write(scheduler, image);
            final long between = cpuNanos();
            SchedulerImage.read(config, new ByteArrayInputStream(image.toByteArray()), image.size());
            if (round >= 0)
            {
                written[round] = (between - start) / NANOS_PER_MILLI;
                read[round] = (cpuNanos() - between) / NANOS_PER_MILLI;
            }
        }
        System.out.printf(Locale.ROOT,
            "%d ranks of %d blocks: an image of %d bytes is written in %.0f ms and read in %.0f ms of processor time " +
            "(medians of %d turns)%n", ranks, blocks, image.size(), Quantiles.of(written, 50),
            Quantiles.of(read, 50), ROUNDS);
    }

    private static long cpuNanos()
    {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static List<List<Block>> prefixes(final int ranks, final int blocks)
    {
        final List<List<Block>> all = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++)
        {
            final List<Block> cached = new ArrayList<>();
            for (int i = 0; i < blocks; i++)
            {
                final int depth = i % PROMPT_BLOCKS;
                cached.add(new Block(hash(rank, i), depth == 0 ? 0 : hash(rank, i - 1), depth, i / PROMPT_BLOCKS));
            }
            all.add(cached);
        }
        return all;
    }

    private static long hash(final int rank, final int block)
    {
        return StateDigest.mix(rank, block) >>> 1 | 1;
    }
}
