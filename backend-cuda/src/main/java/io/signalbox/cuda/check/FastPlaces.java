// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.backend.RankSizes;
import io.signalbox.cuda.kernel.KernelFamily;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The bits that the fast kernels give a token, which must not depend on its place in a tile: the same tokens alone and in
 * company, in steps of every tiling, as graphs and as single launches; and a prompt whole and in chunks. Java cannot tell
 * these bits, since tensor cores do not round as processors do.
 */
final class FastPlaces
{
    /** Tokens of a step: alone, in each tiling of the products, and above the largest one. */
    private static final int[] SIZES = {1, 5, 9, 33, 65};
    /** Tokens that are compared with themselves alone, a multiple of the small sizes. */
    private static final int SUBJECTS = 5;
    private static final int MOST = 65;
    /** For a processor in place of a device: every tiling, too. */
    private static final int MOST_OF_PROCESSOR = 33;
    private static final int SHORT_CHUNK = 9;
    private static final int SEQUENCE_BLOCKS = 1;

    /** A token's captured experts with their weights, its logits, and the token sampled after it. */
    private record Bits(byte[] experts, float[] weights, float[] logits, int sampled)
    {
        /** The first difference, or null. */
        private String difference(final Bits other)
        {
            if (!Arrays.equals(experts, other.experts))
            {
                return "other experts";
            }
            final int weight = Arrays.mismatch(weights, other.weights);
            if (weight >= 0)
            {
                return "the expert weight " + other.weights[weight] + " in place of " + weights[weight];
            }
            final int logit = Arrays.mismatch(logits, other.logits);
            if (logit >= 0)
            {
                return "the logit " + other.logits[logit] + " in place of " + logits[logit];
            }
            return sampled == other.sampled ? null : "another sampled token";
        }
    }

    private final int most;
    private final int vocabulary;
    private final ModelSteps graphs;
    private final ModelSteps eager;
    private final List<ModelToken> tokens = new ArrayList<>();
    private int compared;

    private FastPlaces(
        final CheckedModel model, final int most, final ModelSteps graphs, final ModelSteps eager)
    {
        this.most = most;
        this.graphs = graphs;
        this.eager = eager;
        vocabulary = model.shape().vocabulary();
        final int[][] tables = ModelSection.tables(most, SEQUENCE_BLOCKS);
        for (int sequence = 0; sequence < most; sequence++)
        {
            tokens.add(token(sequence, 1, tables[sequence]));
        }
    }

    /** @param weights of the model; the steps here have other buffers. */
    static void compare(
        final CheckConfig options, final CheckedModel model, final String name, final ModelSteps weights,
        final Findings findings)
    {
        final int most = options.modelLayers() == 0 ? MOST_OF_PROCESSOR : MOST;
        final RankSizes sizes =
            ModelSection.sizes(most * SEQUENCE_BLOCKS + 2 * ModelRoom.perSequence(most), most, most);
        try (ModelSteps graphs = weights.weighedBeside(options.device(), sizes, KernelFamily.FAST);
            ModelSteps eager = graphs.eager(options.device(), KernelFamily.FAST))
        {
            final FastPlaces places = new FastPlaces(model, most, graphs, eager);
            final String fault = places.fault();
            if (fault != null)
            {
                findings.failed(name + ", fast kernels: " + fault + ".");
            }
            findings.count(name + ", fast kernels: tokens in company, with the bits of the token alone", places.compared);
        }
    }

    /**
     * The tokens of a timed decode step, alone and in company, at the end of their context: few and many tasks of attention
     * have separate kernels, and so many positions have several segments. Keys and values are generated.
     *
     * @param weights of the model; the steps here have other buffers.
     */
    static void compareAtContext(
        final CheckConfig options, final CheckedModel model, final List<ModelToken> tokens, final ModelSteps weights,
        final Findings findings)
    {
        final RankSizes sizes =
            ModelSection.sizes(ModelRoom.blocks(model, tokens.size()), tokens.size(), tokens.size());
        try (ModelSteps steps = weights.weighedBeside(options.device(), sizes, KernelFamily.FAST))
        {
            steps.fillCache(options.seed());
            final List<Bits> company = bits(steps, tokens);
            final int subjects = Math.min(SUBJECTS, tokens.size());
            int compared = 0;
            for (int i = 0; i < subjects; i++)
            {
                // Spread over the step, the first and the last token among them.
                final int place = i * (tokens.size() - 1) / Math.max(1, subjects - 1);
                final String difference = bits(steps, List.of(tokens.get(place))).get(0).difference(company.get(place));
                if (difference != null)
                {
                    findings.failed(model.name() + ", fast kernels: place " + place + " of " + tokens.size() +
                        " tokens at context " + model.context() + " has " + difference + ".");
                    break;
                }
                compared++;
            }
            findings.count(model.name() + ", fast kernels: tokens in company at context " + model.context() +
                ", with the bits of the token alone", compared);
        }
    }

    /** The first difference, or null. */
    private String fault()
    {
        // Tokens before those that are compared, so that these attend to several.
        final List<ModelToken> before =
            tokens.stream().map(token -> token(token.table()[0], 0, token.table())).toList();
        graphs.run(before);
        eager.run(before);
        final List<Bits> alone = new ArrayList<>();
        for (int subject = 0; subject < SUBJECTS; subject++)
        {
            alone.addAll(bits(graphs, List.of(tokens.get(subject))));
        }
        for (final int size : SIZES)
        {
            final String fault = size > most ? null : differs(size, alone);
            if (fault != null)
            {
                return fault;
            }
        }
        return chunks();
    }

    /** The first subjects in steps of a size, at places that are spread over the step, with other sequences. */
    private String differs(final int size, final List<Bits> alone)
    {
        for (int first = 0; first < SUBJECTS; first += size)
        {
            final List<ModelToken> step = new ArrayList<>(tokens.subList(first, first + size));
            Collections.rotate(step, size / 2);
            final List<Bits> graph = bits(graphs, step);
            final List<Bits> single = bits(eager, step);
            for (int i = 0; i < size; i++)
            {
                final String difference = graph.get(i).difference(single.get(i));
                if (difference != null)
                {
                    return "place " + i + " of " + size + " tokens, launched kernel by kernel, has " + difference;
                }
            }
            for (int subject = first; subject < Math.min(SUBJECTS, first + size); subject++)
            {
                final int place = step.indexOf(tokens.get(subject));
                final String difference = alone.get(subject).difference(graph.get(place));
                if (difference != null)
                {
                    return "place " + place + " of " + size + " tokens has " + difference;
                }
                compared++;
            }
        }
        return null;
    }

    private ModelToken token(final int sequence, final int position, final int[] table)
    {
        return new ModelToken((31 * position + 7 * sequence + 3) % vocabulary, position, table, true);
    }

    /** A prompt as one step and in several, each in other blocks; every token is sampled. */
    private String chunks()
    {
        final int first = most * SEQUENCE_BLOCKS;
        final List<Bits> whole = bits(graphs, prompt(first));
        final List<ModelToken> again = prompt(first + ModelRoom.perSequence(most));
        int from = 0;
        for (final int chunk : new int[] {most / 2, 1, most - most / 2 - 1 - SHORT_CHUNK, SHORT_CHUNK})
        {
            final List<Bits> found = bits(graphs, again.subList(from, from + chunk));
            for (int i = 0; i < chunk; i++)
            {
                final String difference = whole.get(from + i).difference(found.get(i));
                if (difference != null)
                {
                    return "token " + (from + i) + " of a prompt in chunks has " + difference;
                }
                compared++;
            }
            from += chunk;
        }
        return null;
    }

    private List<ModelToken> prompt(final int firstBlock)
    {
        final int[] table = new int[ModelRoom.perSequence(most)];
        Arrays.setAll(table, index -> firstBlock + index);
        final List<ModelToken> prompt = new ArrayList<>();
        for (int position = 0; position < most; position++)
        {
            prompt.add(token(0, position, table));
        }
        return prompt;
    }

    /** Of each token of a step, all of which are sampled. */
    private static List<Bits> bits(final ModelSteps steps, final List<ModelToken> step)
    {
        steps.run(step);
        if (steps.fault() != null)
        {
            throw new IllegalStateException(steps.fault());
        }
        final int rowBytes = steps.rows().length / step.size();
        final int rowWeights = steps.combineWeights().length / step.size();
        final int vocabulary = steps.logits().length / step.size();
        final List<Bits> bits = new ArrayList<>();
        for (int i = 0; i < step.size(); i++)
        {
            bits.add(new Bits(Arrays.copyOfRange(steps.rows(), i * rowBytes, (i + 1) * rowBytes),
                Arrays.copyOfRange(steps.combineWeights(), i * rowWeights, (i + 1) * rowWeights),
                Arrays.copyOfRange(steps.logits(), i * vocabulary, (i + 1) * vocabulary), steps.sampled()[i]));
        }
        return bits;
    }
}
