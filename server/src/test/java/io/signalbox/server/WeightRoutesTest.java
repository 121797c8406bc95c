// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.config.SettingValues;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.server.text.SimulatedText;
import io.signalbox.sim.PacedBackend;
import io.signalbox.sim.SimulationConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** New weights of an engine that has no room, and the moment in which they come. */
@Tag("threads")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WeightRoutesTest
{
    private static final SchedulerConfig SCHEDULER =
        SchedulerConfig.builder().ranks(1).kvBlocks(1025).maxRunning(4).build();

    @TempDir
    private Path directory;

    private static EngineConfig engine()
    {
        return new EngineConfig().scheduler(SCHEDULER).vocabularySize(new SimulatedText().vocabularySize())
            .backend(new PacedBackend(SimulationConfig.DEFAULT, SCHEDULER, 1000, 0)).drainTimeout(Duration.ZERO);
    }

    private WeightRoutes routes(final SignalboxEngine engine) throws Exception
    {
        Files.createDirectory(directory.resolve("step"));
        return new WeightRoutes(engine, new ServerConfig(new ServedModel(List.of("model"), 4096, 1, new SimulatedText()))
            .weightsRoot(directory));
    }

    /** Asks for new weights. @return completes with the status and the body of the answer. */
    private static CompletableFuture<String> update(final WeightRoutes routes, final String label)
    {
        final CompletableFuture<String> answer = new CompletableFuture<>();
        routes.update(new DirectRequest("POST", "/update_weights_from_disk",
            "{\"model_path\": \"step\", \"weight_version\": \"" + label + "\"}"), new KeptAnswer(answer));
        return answer;
    }

    /** An engine without room refuses the announcement, and nobody waits for weights that do not come. */
    @Test
    void shouldAnswerAtOnceIfTheAnnouncementIsRefused() throws Exception
    {
        final CountDownLatch placing = new CountDownLatch(1);
        final CountDownLatch blocked = new CountDownLatch(1);
        final SchedulerConfig scheduler =
            SCHEDULER.toBuilder().router(RouterConfig.of(new BlockedRouterProvider(placing, blocked))).build();
        try (SignalboxEngine engine = SignalboxEngine.launch(
            engine().scheduler(scheduler).ingressSlots(32).submitWait(Duration.ofMillis(10)));
            WeightRoutes routes = routes(engine))
        {
            final CompletionRequest request = CompletionRequest.prompt(new int[] {1}).maxNewTokens(1);
            engine.submit(request);
            placing.await();
            // The thread that makes room is in the router, so what is full stays full.
            while (engine.submit(request).requestId() >= 0)
            {
                Thread.onSpinWait();
            }
            final String answer = update(routes, "policy-1").get(60, TimeUnit.SECONDS);
            assertTrue(answer.startsWith("503 ") && answer.contains("had no room in time"), answer);
            blocked.countDown();
            String second = update(routes, "policy-2").get(60, TimeUnit.SECONDS);
            while (second.contains("had no room in time"))
            {
                second = update(routes, "policy-2").get(60, TimeUnit.SECONDS);
            }
            assertTrue(second.startsWith("200 ") && second.contains("\"weight_version\":\"policy-2\""), second);
        }
        finally
        {
            blocked.countDown();
        }
    }

    /** Its router keeps the scheduler's thread until it may place. */
    private static final class BlockedRouterProvider extends DpRouterProvider
    {
        private final CountDownLatch placing;
        private final CountDownLatch blocked;

        private BlockedRouterProvider(final CountDownLatch placing, final CountDownLatch blocked)
        {
            super("blocked", 1, "Waits before it places.");
            this.placing = placing;
            this.blocked = blocked;
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            final DpRouter router = RouterConfig.standard().router(ranks, true);
            return new DpRouter()
            {
                @Override
                public void place(final PlacementBatch batch)
                {
                    placing.countDown();
                    try
                    {
                        blocked.await();
                    }
                    catch (final InterruptedException e)
                    {
                        Thread.currentThread().interrupt();
                    }
                    router.place(batch);
                }

                @Override
                public boolean readsMatches()
                {
                    return router.readsMatches();
                }

                @Override
                public long digest()
                {
                    return router.digest();
                }
            };
        }
    }

    /** A trainer that asks in the moment in which the weights come gets their name. */
    @Test
    void shouldNameNewWeightsFromTheirFirstMomentOn() throws Exception
    {
        try (SignalboxEngine engine = SignalboxEngine.launch(engine()); WeightRoutes routes = routes(engine))
        {
            for (int generation = 0; generation < 5; generation++)
            {
                final CompletableFuture<String> answer = update(routes, "policy-" + generation);
                while (engine.weightGeneration() == generation)
                {
                    Thread.onSpinWait();
                }
                assertEquals("policy-" + generation, routes.version());
                assertTrue(answer.get().startsWith("200 "), answer.get());
            }
        }
    }
}
