// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.backend.RankSizes;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.FinishReason;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.serving.BackendProvider;
import io.signalbox.serving.Backends;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A wish that the CPU backend cannot fulfil ends in a sentence; the backend itself is found by its label. */
@Tag("threads")
@Timeout(120)
class CpuRefusalsTest
{
    private static final ModelWeights WEIGHTS = GeneratedModel.weights(GeneratedModel.tiny(), 7);

    private static Backend installed()
    {
        final BackendProvider provider = Backends.installed().of("cpu");
        return provider.create(WEIGHTS, provider.defaults(), System::nanoTime);
    }

    /** The engine does not know the vocabulary here, so the backend has to notice; other requests are not disturbed. */
    @Test
    void shouldFailAStepWithATokenOutsideTheVocabulary() throws Exception
    {
        final RankFaults faults = new RankFaults();
        final EngineConfig config = new EngineConfig().backend(installed()).listener(faults::readGroup)
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(33).maxFailures(1).backOffNanos(0).build());
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            assertEquals(FinishReason.FAILED, engine.submit(CompletionRequest.prompt(new int[] {3, 512}).maxNewTokens(2))
                .await(Duration.ofSeconds(60)).reason());
            assertEquals(FinishReason.LENGTH, engine.submit(CompletionRequest.prompt(new int[] {3, 511}).maxNewTokens(2))
                .await(Duration.ofSeconds(60)).reason());
        }
        assertEquals("token 512 at position 1 is not in the vocabulary of 512; submit token ids from 0 to 511",
            faults.first());
    }

    @Test
    void shouldRefuseAShapeThatIsNotTheModels()
    {
        final ConfigException refused = assertThrows(ConfigException.class, () -> start(installed(), 4,
            new ModelShape(3, 16, 4)));
        assertTrue(refused.getMessage().contains("4 of 16 experts in the layers [0, 1, 2], while the model of the CPU " +
            "backend has 4 of 16 experts in the layers [1, 2, 3]"), refused.getMessage());
    }

    @Test
    void shouldRefuseMoreKeysAndValuesThanTheHeapHolds()
    {
        final ConfigException refused =
            assertThrows(ConfigException.class, () -> start(installed(), Integer.MAX_VALUE, null));
        assertTrue(refused.getMessage().startsWith(
            "The keys and values of 1 ranks with 2147483647 blocks of 16 tokens need "), refused.getMessage());
        assertTrue(refused.getMessage().contains("-Xmx"), refused.getMessage());
    }

    private static void start(final Backend backend, final int blocks, final ModelShape shape)
    {
        backend.sizes(new RankSizes(blocks, 16, 8, 4, 1, 0));
        backend.start(1, shape, null);
    }

    @Test
    void shouldRefuseDraftTokensByName()
    {
        final EngineConfig config = new EngineConfig().backend(installed())
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(33).draftTokens(2).build());

        final ConfigException refused = assertThrows(ConfigException.class, () -> SignalboxEngine.launch(config));

        assertTrue(refused.getMessage().contains("draft tokens per entry that the backend cpu runs"), refused.getMessage());
    }

    @Test
    void shouldNameTheBackendsThatThereAre()
    {
        final ConfigException refused = assertThrows(ConfigException.class, () -> Backends.installed().of("tpu"));
        assertTrue(refused.getMessage().contains("tpu is not known; give one of cpu, or the jar that holds it with " +
            "--plugins"), refused.getMessage());
    }

    @Test
    void shouldRefuseTwoBackendsOfOneLabel()
    {
        final ConfigException refused = assertThrows(ConfigException.class,
            () -> Backends.installed().with(List.of(new CpuBackendProvider())));
        assertTrue(refused.getMessage().startsWith("two backends have the label cpu, "), refused.getMessage());
    }
}
