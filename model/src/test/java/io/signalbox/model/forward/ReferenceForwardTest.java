// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.Checkpoint;
import io.signalbox.model.DecoderPlan;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** The forward pass against transformers with the same weights: greedy tokens and routed experts, in float32. */
class ReferenceForwardTest
{
    private static final Path MODELS =
        Path.of(System.getProperty("signalbox.root")).resolve("../shared/models").normalize();
    private static final int BLOCK_SIZE = 8;
    private static final int BLOCKS = 16;

    @ParameterizedTest
    @ValueSource(strings = {
        "olmoe-wide-f32", "mixtral-wide-f32", "qwen3moe-wide-f32", "qwen3moe-narrow-f32", "olmoe-narrow-bf16",
        "deepseekv3-wide-f32"})
    void shouldGenerateWhatTransformersGenerates(final String name) throws IOException
    {
        final Path directory = MODELS.resolve(name);
        Assumptions.assumeTrue(Files.isDirectory(directory), "skipped: the shared model " + directory + " is absent");
        final NpzFile reference = new NpzFile(directory.resolve("reference.npz"));
        final ForwardModel model = ForwardModel.of(Checkpoint.open(directory).weights(), Precision.F32);
        try (WorkTeam team = new WorkTeam(2, "team"))
        {
            for (int prompt = 0; prompt < 7; prompt++)
            {
                check(model, reference, "f32.p" + prompt + ".", team);
            }
        }
    }

    private static void check(
        final ForwardModel model, final NpzFile reference, final String prefix, final WorkTeam team)
    {
        final DecoderPlan plan = model.plan();
        final int[] prompt = reference.get(prefix + "prompt").ints();
        final int[] tokens = reference.get(prefix + "gen.tokens").ints();
        final int[] experts = reference.get(prefix + "gen.experts").ints();
        final int[] table = new int[BLOCKS];
        Arrays.setAll(table, index -> (index * 7 + 3) % BLOCKS);
        final PagedKv kv = new PagedKv(plan, BLOCKS, BLOCK_SIZE);
        final ForwardPass pass = new ForwardPass(model, Precision.F32, kv, team);
        final TokenBatch batch = new TokenBatch();
        final TokenSampler sampler = new TokenSampler();
        final int row = plan.moeLayers().size() * plan.experts().topK();
        for (int i = 0; i < prompt.length; i++)
        {
            batch.add(prompt[i], i, table);
        }
        batch.sampleLast();
        int position = 0;
        for (int next = 0; next < tokens.length; next++)
        {
            pass.run(batch);
            for (int token = 0; token < batch.count(); token++)
            {
                sameSets(plan, experts, position * row, pass.expertIds(), token * row, prefix + " position " + position);
                position++;
            }
            assertEquals(tokens[next], sampler.next(pass.logits(), 0, plan.vocabulary(),
                new TokenSampler.SamplingChoice(0, 0, 1, 0), position), prefix + " token " + next);
            batch.clear();
            batch.add(tokens[next], position, table);
            batch.sampleLast();
        }
    }

    private static void sameSets(
        final DecoderPlan plan, final int[] expected, final int from, final int[] actual, final int at, final String where)
    {
        final int topK = plan.experts().topK();
        for (int layer = 0; layer < plan.moeLayers().size(); layer++)
        {
            final int[] wanted = Arrays.copyOfRange(expected, from + layer * topK, from + (layer + 1) * topK);
            final int[] chosen = Arrays.copyOfRange(actual, at + layer * topK, at + (layer + 1) * topK);
            Arrays.sort(wanted);
            Arrays.sort(chosen);
            assertArrayEquals(wanted, chosen, where + " layer " + layer);
        }
    }
}
