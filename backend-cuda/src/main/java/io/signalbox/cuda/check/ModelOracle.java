// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.backend.RankSizes;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.ForwardPass;
import io.signalbox.model.forward.PagedKv;
import io.signalbox.model.forward.Precision;
import io.signalbox.model.forward.TokenBatch;
import io.signalbox.model.forward.TokenSampler;
import io.signalbox.model.forward.WorkTeam;

import java.util.Arrays;

/** The forward pass in Java, beside steps of the same model on the device. */
final class ModelOracle implements AutoCloseable
{
    private static final TokenSampler.SamplingChoice MOST_PROBABLE = new TokenSampler.SamplingChoice(0.0f, 0, 1.0f, 0);

    private final ModelWeights weights;
    private final int blockTokens;
    private final WorkTeam team;
    private final ForwardPass pass;
    private final TokenSampler sampler = new TokenSampler();
    private final TokenBatch batch = new TokenBatch();

    ModelOracle(final ModelWeights weights, final RankSizes sizes)
    {
        this.weights = weights;
        blockTokens = sizes.blockSizeTokens();
        team = new WorkTeam(Runtime.getRuntime().availableProcessors(), "signalbox-check");
        pass = new ForwardPass(ForwardModel.of(weights), Precision.of(weights.plan().type()),
            new PagedKv(weights.plan(), sizes.kvBlocks(), sizes.blockSizeTokens()), team);
    }

    /** Computes the same step; the difference of tokens or routed experts, one sentence, or null. */
    String difference(final String what, final ComparedSteps.Result found)
    {
        batch.clear();
        for (final ModelToken token : found.tokens())
        {
            batch.add(token.id(), token.position(), token.table());
            if (token.sampled())
            {
                batch.sampleLast();
            }
        }
        pass.run(batch);
        if (found.fault() != null)
        {
            return what + ": " + found.fault() + ".";
        }
        for (int i = 0; i < found.sampled().length; i++)
        {
            final int expected = token(i);
            if (found.sampled()[i] != expected)
            {
                return what + ": entry " + i + " samples token " + found.sampled()[i] + ", Java " + expected + ".";
            }
        }
        return rowDifference(what, found.rows());
    }

    /** The token that the last step samples for an entry. */
    int token(final int entry)
    {
        final int vocabulary = weights.plan().vocabulary();
        return sampler.next(pass.logits(), entry * vocabulary, vocabulary, MOST_PROBABLE, 0);
    }

    /** The most probable tokens behind a prompt, computed alone. */
    int[] answer(final int[] prompt, final int count)
    {
        final int[] table = new int[(prompt.length + count) / blockTokens + 1];
        Arrays.setAll(table, index -> index);
        final int[] answer = new int[count];
        batch.clear();
        for (int i = 0; i < prompt.length; i++)
        {
            batch.add(prompt[i], i, table);
        }
        for (int i = 0; i < count; i++)
        {
            batch.sampleLast();
            pass.run(batch);
            answer[i] = token(0);
            batch.clear();
            batch.add(answer[i], prompt.length + i, table);
        }
        return answer;
    }

    /** Tiny models and those of the check have at most 256 experts: a byte each. */
    private String rowDifference(final String what, final byte[] rows)
    {
        final ModelShape shape = weights.plan().shape();
        for (int i = 0; i < rows.length; i++)
        {
            if ((rows[i] & 0xFF) != pass.expertIds()[i])
            {
                return what + ": token " + i / shape.rowIds() + " in MoE layer " + i % shape.rowIds() / shape.topK() +
                    " has expert " + (rows[i] & 0xFF) + ", in Java " + pass.expertIds()[i] + ".";
            }
        }
        return null;
    }

    @Override
    public void close()
    {
        team.close();
    }
}
