// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.event.InputWriter;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalWriter;
import io.signalbox.scheduler.SchedulerConfig;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A request of 256 prompt tokens and one generated token through the front door, in one thread: submit, decide, journal,
 * dispatch, read, show. Sixteen requests share a step. The pool is full of cached blocks, so each of a request's sixteen
 * blocks is evicted, allocated, registered and released. An operation is one request.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class FrontDoorBenchmark
{
    private static final int BATCH = 16;
    private static final int PROMPT_TOKENS = 256;
    private static final int KV_BLOCKS = 1 << 15;
    private static final int BLOCKS_EACH = 16;
    private static final int STEP_TOKENS = 16_384;

    /** {@code none}, or a durability. */
    @Param({"none", "process"})
    public String journal;

    private final int[] prompt = new int[PROMPT_TOKENS];
    private final InputWriter inputs = new InputWriter();
    private final AnsweringBackend backend = new AnsweringBackend();
    private final CompletionHandle[] handles = new CompletionHandle[BATCH];
    private SteppedEngine engine;
    private Path directory;
    private long sent;

    @Setup
    public void setUp() throws IOException
    {
        for (int i = 0; i < PROMPT_TOKENS; i++)
        {
            prompt[i] = i * 31 + 7;
        }
        final EngineConfig config = new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(KV_BLOCKS).stepTokens(STEP_TOKENS).build())
            .backend(backend).wakeSource(EngineConfig.WakeSource.CALLER);
        if (!journal.equals("none"))
        {
            directory = Files.createTempDirectory("front-door");
            config.journal(JournalWriter.create(directory.resolve("run"), config.runSettings(),
                JournalConfig.of(Durability.valueOf(journal.toUpperCase(Locale.ROOT)))));
        }
        engine = new SteppedEngine(config);
        while (sent < KV_BLOCKS / BLOCKS_EACH)
        {
            requests();
        }
    }

    @TearDown
    public void tearDown() throws IOException
    {
        engine.close();
        if (directory != null)
        {
            final List<Path> paths;
            try (Stream<Path> walk = Files.walk(directory))
            {
                paths = walk.sorted(Comparator.reverseOrder()).toList();
            }
            for (final Path path : paths)
            {
                Files.delete(path);
            }
        }
    }

    /** All of it. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public int requests()
    {
        submitAll();
        decide();
        return handles[BATCH - 1].token(0);
    }

    private void submitAll()
    {
        for (int i = 0; i < BATCH; i++)
        {
            // Hashes of blocks are chained, so no two prompts share a block.
            prompt[0] = (int)(++sent & Integer.MAX_VALUE);
            handles[i] = engine.submit(CompletionRequest.prompt(prompt).maxNewTokens(1));
        }
    }

    private void decide()
    {
        inputs.wake().timeNanos(System.nanoTime());
        engine.offer(inputs.buffer(), 0, inputs.length(), null);
        backend.answer();
    }
}
