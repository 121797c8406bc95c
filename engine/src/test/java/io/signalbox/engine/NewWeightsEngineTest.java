// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.BackendCapabilities;
import io.signalbox.event.InputWriter;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.experts.WeightSpan;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** New weights, from the client to the backend and back. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NewWeightsEngineTest
{
    private static final long LONG_ENOUGH = 60_000_000_000L;

    private final AtomicLong clock = new AtomicLong();
    private final SwappingBackend backend = new SwappingBackend();
    private final ScriptedBackend scripted = backend.scripted;
    private final EngineConfig context = new EngineConfig()
        .scheduler(SchedulerConfig.builder().ranks(1).blockSizeTokens(16).kvBlocks(65).capture(new ModelShape(2, 64, 2))
            .build())
        .clock(clock::incrementAndGet);
    private final EngineClient client = new EngineClient(context);

    /** A scripted backend that can replace its weights. */
    private static final class SwappingBackend extends DelegatingBackend
    {
        private final List<String> calls = new ArrayList<>();

        @Override
        void beforeSubmit()
        {
        }

        @Override
        public BackendCapabilities capabilities()
        {
            return BackendCapabilities.named("swapping").capturesExperts(true).swapsWeights(true).build();
        }

        @Override
        public void newWeights(final int generation, final String version)
        {
            calls.add("weights " + generation);
        }

        @Override
        public void submit(final StepView plan)
        {
            calls.add("step " + plan.step() + " with " + plan.weightGeneration());
            super.submit(plan);
        }
    }

    private CompletionHandle submit(final int newTokens) throws InterruptedException
    {
        return client.submit(
            CompletionRequest.prompt(IntStream.range(0, 40).toArray()).maxNewTokens(newTokens)
                .routedExperts(2), LONG_ENOUGH);
    }

    @Test
    void shouldReplaceTheWeightsBetweenTwoLaunchesAndSayWhichPositionsAreWhose() throws Exception
    {
        try (SteppedEngine engine = new SteppedEngine(context.backend(backend)))
        {
            client.connect(engine);
            final CompletionHandle handle = submit(4);
            scripted.complete(0);
            assertTrue(client.newWeights(WeightSwap.CONTINUE, "checkpoint 7", LONG_ENOUGH));
            assertEquals(1, client.weightGeneration());
            scripted.complete(0);
            scripted.complete(0);
            scripted.complete(0);
            assertEquals(List.of("step 1 with 0", "step 2 with 0", "weights 1", "step 3 with 1", "step 4 with 1"),
                backend.calls);
            final Completion ended = handle.ended().get();
            assertEquals(FinishReason.LENGTH, ended.reason());
            assertEquals(List.of(new WeightSpan(0, 41, 0), new WeightSpan(41, 43, 1)), ended.weights());
            final RoutedExperts rows = client.takeRows(handle, LONG_ENOUGH);
            assertEquals(List.of(new WeightSpan(2, 41, 0), new WeightSpan(41, 43, 1)), rows.weights());
        }
    }

    @Test
    void shouldSayThatNewWeightsEndedARequest() throws Exception
    {
        try (SteppedEngine engine = new SteppedEngine(context.backend(backend)))
        {
            client.connect(engine);
            final CompletionHandle handle = submit(4);
            scripted.complete(0);
            assertTrue(client.newWeights(WeightSwap.ABORT, "", LONG_ENOUGH));
            scripted.complete(0);
            assertEquals(FinishReason.NEW_WEIGHTS, handle.ended().get().reason());
            assertEquals(List.of(new WeightSpan(0, 40, 0)), handle.ended().get().weights());
        }
    }

    @Test
    void shouldReplaceTheWeightsOfAThreadedEngine() throws Exception
    {
        try (ThreadedEngine engine = new ThreadedEngine(context.backend(backend)))
        {
            client.connect(engine);
            final CompletionHandle handle = submit(2);
            engine.awaitProcessed();
            assertTrue(client.newWeights(WeightSwap.REQUEUE, "", LONG_ENOUGH));
            engine.awaitProcessed();
            scripted.complete(0);
            engine.awaitProcessed();
            scripted.complete(0);
            assertEquals(List.of(new WeightSpan(0, 40, 0), new WeightSpan(40, 41, 1)), handle.ended().get().weights());
            assertEquals(List.of("step 1 with 0", "weights 1", "step 2 with 1"), backend.calls);
        }
    }

    /** The refusal comes ahead of the journal, so that the run continues as if nobody had asked. */
    @Test
    void shouldRefuseByNameABackendThatCannotReplaceItsWeights() throws Exception
    {
        final String sentence = "the backend scripted cannot replace its weights while it runs; open an engine with the " +
            "new weights, or choose a backend that can";
        try (SteppedEngine engine = new SteppedEngine(context.backend(scripted)))
        {
            client.connect(engine);
            final CompletionHandle handle = submit(1);
            for (int i = 0; i < 2 * client.creditCount(); i++)
            {
                assertEquals(sentence, assertThrows(IllegalArgumentException.class,
                    () -> client.newWeights(WeightSwap.CONTINUE, "", LONG_ENOUGH)).getMessage());
            }
            scripted.complete(0);
            assertEquals(FinishReason.LENGTH, handle.ended().get().reason());
        }
    }

    @Test
    void shouldRefuseByNameInAThreadedEngine() throws Exception
    {
        try (ThreadedEngine engine = new ThreadedEngine(context.backend(scripted)))
        {
            client.connect(engine);
            final String refusal = assertThrows(IllegalArgumentException.class,
                () -> client.newWeights(WeightSwap.ABORT, "", LONG_ENOUGH)).getMessage();
            assertTrue(refusal.startsWith("the backend scripted cannot"), refusal);
            engine.awaitProcessed();
        }
    }

    @Test
    void shouldRefuseNewWeightsWithoutAWayOrVersion() throws Exception
    {
        try (SteppedEngine engine = new SteppedEngine(context.backend(backend)))
        {
            client.connect(engine);
            assertThrows(IllegalArgumentException.class, () -> client.newWeights(WeightSwap.DRAIN, null, LONG_ENOUGH));
            assertThrows(IllegalArgumentException.class, () -> client.newWeights(null, "", LONG_ENOUGH));
            final InputWriter writer = new InputWriter();
            writer.control().timeNanos(1).requestId(-1).kind(ControlKind.NEW_WEIGHTS).note("");
            assertEquals("a Control NEW_WEIGHTS does not say what becomes of the requests that have begun; set its way to " +
                "CONTINUE, ABORT, REQUEUE or DRAIN", assertThrows(IllegalArgumentException.class,
                () -> engine.offer(writer.buffer(), 0, writer.length(), null)).getMessage());
        }
        assertThrows(UnsupportedOperationException.class, () -> scripted.newWeights(1, ""));
    }
}
