// SPDX-License-Identifier: Apache-2.0
package com.example.backend;

import io.signalbox.backend.Backend;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.serving.BackendProvider;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** A request decides how its tokens are chosen. */
class BigramSamplingTest
{
    private static final ModelWeights WEIGHTS = GeneratedModel.weights(GeneratedModel.tiny(), 1);

    private static int[] answer(final CompletionRequest request) throws Exception
    {
        final BackendProvider provider = new BigramBackendProvider();
        final Backend backend = provider.make(WEIGHTS, provider.defaults(), System::nanoTime);
        final SchedulerConfig config = SchedulerConfig.builder().ranks(1).kvBlocks(64).blockSizeTokens(4).build();
        try (SignalboxEngine engine = SignalboxEngine.launch(
            new EngineConfig().backend(backend).scheduler(config).vocabularySize(WEIGHTS.plan().vocabulary())))
        {
            return engine.submit(request.maxNewTokens(24)).await(Duration.ofSeconds(60)).tokens();
        }
    }

    private static CompletionRequest prompt()
    {
        return CompletionRequest.prompt(new int[] {3, 5, 8, 13});
    }

    @Test
    void shouldSampleByTemperatureSeedAndTopK() throws Exception
    {
        final int[] greedy = answer(prompt().temperature(0));
        final int[] sampled = answer(prompt().temperature(2).seed(1));

        assertArrayEquals(sampled, answer(prompt().temperature(2).seed(1)));
        assertFalse(Arrays.equals(greedy, sampled));
        assertFalse(Arrays.equals(sampled, answer(prompt().temperature(2).seed(2))));
        assertArrayEquals(greedy, answer(prompt().temperature(2).seed(1).topK(1)));
    }
}
