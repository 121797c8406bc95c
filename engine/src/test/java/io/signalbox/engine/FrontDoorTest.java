// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.TestStrength;
import io.signalbox.engine.ring.CallbackThreads;
import io.signalbox.scheduler.MutatedClasses;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/** Many threads, and callbacks of every conduct, at one front door. */
@Tag("threads")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FrontDoorTest
{
    @TempDir
    private Path directory;

    @Test
    void shouldShowEachTokenOnceAndInOrderAndOneEnd()
    {
        assertNull(FrontDoorRun.firstFailure(TestStrength.count(25, 400)));
    }

    /** A client sees each token once; and an engine that fails ends every handle. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"Follower | next = visible; | next = Math.max(0, visible - 1);",
        "OpenHandles | handle.failed(failure); | failure.hashCode();"})
    void shouldFindTheBrokenContract(final String file, final String original, final String replacement)
    {
        System.setProperty("signalbox.frontDoorSeconds", "3");
        try
        {
            assertNotNull(MutatedClasses.of("engine/" + file + ".java", List.of(original, replacement), directory)
                .call(FrontDoorRun.class, "firstFailure", 40), replacement);
        }
        finally
        {
            System.clearProperty("signalbox.frontDoorSeconds");
        }
    }

    /** Each of 16 threads submits, and nobody's callback keeps the callbacks, requests or threads of others waiting. */
    @Test
    void shouldLoseNothingOfAThousandRequestsWithListenersThatThrowBlockOrCallBack() throws Exception
    {
        final int threads = 16;
        final int each = 63;
        final CountDownLatch release = new CountDownLatch(1);
        final Queue<FollowedRequest> requests = new ConcurrentLinkedQueue<>();
        try (SignalboxEngine engine = SignalboxEngine.launch(new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(2).kvBlocks(257).build()).backend(new CountingBackend(0))
            .ingressSlots(16).submitWait(EngineConfig.FOREVER)))
        {
            final Thread[] submitters = new Thread[threads];
            for (int i = 0; i < threads; i++)
            {
                submitters[i] = new Thread(() -> submit(engine, each, requests, release));
                submitters[i].start();
            }
            for (final Thread submitter : submitters)
            {
                submitter.join();
            }
            for (final FollowedRequest request : requests)
            {
                assertNull(request.endFault(), "while the listeners of others block");
            }
            assertEquals(threads * each, requests.size());
            release.countDown();
            for (final FollowedRequest request : requests)
            {
                assertNull(request.fault(Duration.ofMinutes(2), false));
            }
        }
    }

    private static void submit(
        final SignalboxEngine engine, final int count, final Queue<FollowedRequest> requests, final CountDownLatch release)
    {
        for (int i = 0; i < count; i++)
        {
            final CompletionHandle handle = engine.submit(CompletionRequest.prompt(new int[1 + i]).maxNewTokens(5));
            final FollowedRequest request = new FollowedRequest(handle, 1 + i, 5, release);
            requests.add(request);
            switch (i % 4)
            {
                case 0 -> request.listen(CallbackThreads.EXECUTOR, FollowedRequest.Manner.THROWS);
                case 1 -> request.listen(CallbackThreads.EXECUTOR, FollowedRequest.Manner.BLOCKS);
                case 2 -> request.listen(Runnable::run, FollowedRequest.Manner.CALM);
                default -> request.whenDone(() -> engine.submit(CompletionRequest.prompt(new int[3])));
            }
        }
    }
}
