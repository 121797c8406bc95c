// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.event.InputWriter;
import io.signalbox.scheduler.SchedulerConfig;
import org.HdrHistogram.Histogram;

import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * Time of one request from its submission to its token, in one thread and without a journal: the work of an embedded engine
 * without its rings and hand-overs. At once after another request, after a rest of 5 ms, and after the thread has read
 * memory that is larger than every cache. Prompts of 256 tokens that share no block, one token each, a full pool.
 */
public final class RequestAlone
{
    private static final int PROMPT_TOKENS = 256;
    private static final int KV_BLOCKS = 1 << 15;
    private static final int STEP_TOKENS = 16_384;
    private static final int WARM_UPS = 40_000;
    private static final int ROUNDS = 1_000;
    private static final int EMPTIED_ROUNDS = 200;
    private static final long REST_NANOS = 5_000_000;
    private static final long MOST_NANOS = 10_000_000_000L;
    private static final int LINE_LONGS = 8;

    private final int[] prompt = new int[PROMPT_TOKENS];
    private final InputWriter inputs = new InputWriter();
    private final AnsweringBackend backend = new AnsweringBackend();
    private final SteppedEngine engine = new SteppedEngine(new EngineConfig()
        .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(KV_BLOCKS).stepTokens(STEP_TOKENS).build())
        .backend(backend).wakeSource(EngineConfig.WakeSource.CALLER));
    /** 128 MiB. */
    private final long[] memory = new long[1 << 24];
    private long sent;

    private RequestAlone()
    {
        for (int i = 0; i < PROMPT_TOKENS; i++)
        {
            prompt[i] = i * 31 + 7;
        }
    }

    public static void main(final String[] arguments)
    {
        System.out.println(describe());
    }

    /** A sentence for a page. */
    public static String describe()
    {
        final RequestAlone alone = new RequestAlone();
        try
        {
            alone.times(WARM_UPS, () -> { });
            return String.format(Locale.ROOT, "The work of one request in one thread, without rings, hand-overs and " +
                "journal, takes %s at once after another request, %s after 5 ms of rest, and %s if the caches are empty.",
                micros(alone.times(ROUNDS, () -> { })),
                micros(alone.times(ROUNDS, () -> LockSupport.parkNanos(REST_NANOS))),
                micros(alone.times(EMPTIED_ROUNDS, alone::emptyCaches)));
        }
        finally
        {
            alone.engine.close();
        }
    }

    private static String micros(final Histogram times)
    {
        return String.format(Locale.ROOT, "%.1f µs p50, %.1f µs p99", times.getValueAtPercentile(50) / 1e3,
            times.getValueAtPercentile(99) / 1e3);
    }

    private Histogram times(final int rounds, final Runnable before)
    {
        final Histogram times = new Histogram(MOST_NANOS, 3);
        for (int round = 0; round < rounds; round++)
        {
            before.run();
            final long start = System.nanoTime();
            request();
            times.recordValue(System.nanoTime() - start);
        }
        return times;
    }

    private void request()
    {
        // Hashes of blocks are chained, so no two prompts share a block.
        prompt[0] = (int)(++sent & Integer.MAX_VALUE);
        final CompletionHandle handle = engine.submit(CompletionRequest.prompt(prompt).maxNewTokens(1));
        inputs.wake().timeNanos(System.nanoTime());
        engine.offer(inputs.buffer(), 0, inputs.length(), null);
        backend.answer();
        if (handle.tokenCount() != 1)
        {
            throw new IllegalStateException("request " + handle.requestId() + " has " + handle.tokenCount() + " tokens");
        }
    }

    /** Writes, so that the JVM leaves no read out. */
    private void emptyCaches()
    {
        for (int i = 0; i < memory.length; i += LINE_LONGS)
        {
            memory[i]++;
        }
    }
}
