// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.AttentionPlan;
import io.signalbox.model.AttentionWindow;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelFamily;
import io.signalbox.model.WeightType;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** A Mixtral of one layer with a window: the tokens that a logit depends on are those in the window, and no others. */
class AttentionWindowTest
{
    private static final int WINDOW = 5;
    private static final int LENGTH = 19;
    private static final int VOCABULARY = 50;

    private static float[] lastLogits(final int[] tokens)
    {
        final AttentionPlan attention = AttentionPlan.of(4, 2, 8, 10_000.0)
            .withWindow(new AttentionWindow(WINDOW, List.of(0)));
        final ForwardModel model = ForwardModel.of(GeneratedModel.weights(DecoderPlan.of(ModelFamily.MIXTRAL,
            WeightType.F32, 1, 32, VOCABULARY, attention, ExpertsPlan.softmax(4, 2, 12, true)).withMaxPositions(64), 3));
        try (WorkTeam team = new WorkTeam(1, "window"))
        {
            final RecordedPass pass =
                new RecordedPass(model, Precision.F32, team, LENGTH, 1).feedAll(tokens, LENGTH);
            return Arrays.copyOfRange(pass.logits, (LENGTH - 1) * VOCABULARY, LENGTH * VOCABULARY);
        }
    }

    @Test
    void shouldSeeTheTokensOfTheWindowAlone()
    {
        final int[] tokens = new int[LENGTH];
        Arrays.setAll(tokens, position -> position * 7 % VOCABULARY);
        final float[] logits = lastLogits(tokens);
        for (int position = 0; position < LENGTH; position++)
        {
            final int[] changed = tokens.clone();
            changed[position] = (changed[position] + 1) % VOCABULARY;
            if (position < LENGTH - WINDOW)
            {
                assertArrayEquals(logits, lastLogits(changed), "position " + position);
            }
            else
            {
                assertFalse(Arrays.equals(logits, lastLogits(changed)), "position " + position);
            }
        }
    }
}
