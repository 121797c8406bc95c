// SPDX-License-Identifier: Apache-2.0
package com.example.embedding;

import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.Refusal;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.engine.TokenListener;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.export.RoutedExpertsFile;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.RetentionLimits;
import io.signalbox.scheduler.SchedulerConfig;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Everything that a server does with an engine: a journal, streaming, a cancel, a refusal, rows, and a drain. */
public final class MockEngine
{
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(30);

    private MockEngine()
    {
    }

    /** @param args the directory of the run, which it begins or continues, and a new file for the rows. */
    public static void main(final String[] args) throws Exception
    {
        final EngineConfig config = new EngineConfig()
            .scheduler(SchedulerConfig.builder()
                .ranks(2).kvBlocks(1025).capture(new ModelShape(4, 64, 2)).build())
            .backend(new EchoBackend())
            .submitWait(LONG_ENOUGH)
            .runJournal(new DirectoryJournal(Path.of(args[0]), JournalConfig.of(Durability.PROCESS)
                .withSegmentBytes(1L << 26).withSnapshotEvery(50_000)
                .withRetention(RetentionLimits.NONE.withMostBytes(20_000_000_000L))));
        final ExecutorService sender = Executors.newSingleThreadExecutor();
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            for (final CompletionHandle request : engine.resumed())
            {
                System.out.println("request " + request.requestId() + " of before has " + request.tokenCount() + " tokens");
            }
            stream(engine, sender);
            cancel(engine);
            refuse(engine);
            rows(engine, Path.of(args[1]));
            engine.drain().toCompletableFuture().join();
            System.out.println("drained");
        }
        sender.shutdown();
    }

    private static void stream(final SignalboxEngine engine, final ExecutorService sender) throws InterruptedException
    {
        final CountDownLatch sent = new CountDownLatch(1);
        engine.submit(CompletionRequest.prompt(new int[] {1, 2, 3}).maxNewTokens(4)).listen(new TokenListener()
        {
            @Override
            public void onTokens(final CompletionHandle request, final int from, final int to)
            {
                for (int i = from; i < to; i++)
                {
                    System.out.println("streamed " + request.token(i));
                }
            }

            @Override
            public void onEnd(final CompletionHandle request, final Completion completion)
            {
                completion.failure().ifPresent(failure -> System.out.println("step " + failure.step() + " of rank " +
                    failure.rank() + " failed: " + failure.sentence()));
                sent.countDown();
            }
        }, sender);
        sent.await();
    }

    private static void cancel(final SignalboxEngine engine) throws InterruptedException
    {
        final CompletionHandle request = engine.submit(CompletionRequest.prompt(new int[] {5}).maxNewTokens(10_000));
        request.iterator().hasNext();
        request.cancel();
        System.out.println("ended by " + request.await().reason());
    }

    private static void refuse(final SignalboxEngine engine) throws InterruptedException
    {
        final Refusal refusal = engine.submit(CompletionRequest.prompt(new int[1_000_000])).await().refusal().orElseThrow();
        System.out.println("refused: " + refusal.reason() + ", come again after " +
            refusal.retryAfter().map(Duration::toString).orElse("a change"));
    }

    private static void rows(final SignalboxEngine engine, final Path file) throws Exception
    {
        final int[] prompt = new int[40];
        engine.submit(CompletionRequest.prompt(prompt).maxNewTokens(1)).await();
        final CompletionHandle request = engine.submit(CompletionRequest.prompt(prompt).maxNewTokens(3).routedExperts(0));
        final RoutedExperts rows = request.takeRoutedExperts(LONG_ENOUGH).orElseThrow();
        RoutedExpertsFile.npz(rows, file);
        System.out.println(rows);
    }
}
