// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LikenessOfChoicesTest
{
    /** Two layers with two of eight experts. */
    private static final ModelShape SHAPE = new ModelShape(2, 8, 2);
    private static final int SEQUENCES = 40;

    private final LikenessOfChoices likeness = new LikenessOfChoices(SHAPE, SEQUENCES, 0.95);
    private final byte[] experts = new byte[SEQUENCES * SHAPE.rowIds()];
    private final float[] weights = new float[experts.length];
    private final byte[] found = new byte[experts.length];
    private final float[] foundWeights = new float[experts.length];

    LikenessOfChoicesTest()
    {
        for (int i = 0; i < experts.length; i++)
        {
            experts[i] = (byte)(i % 8);
            found[i] = experts[i];
            weights[i] = i % 2 == 0 ? 0.6f : 0.4f;
            foundWeights[i] = weights[i];
        }
    }

    @Test
    void shouldAllowAnotherExpertWithACloseScore()
    {
        found[1] = 7;
        foundWeights[1] = 0.401f;
        likeness.add(experts, weights, found, foundWeights);

        assertNull(likeness.fault());
    }

    @Test
    void shouldFindAnotherExpertWithADistantScore()
    {
        found[1] = 7;
        foundWeights[1] = 0.28f;
        likeness.add(experts, weights, found, foundWeights);

        assertTrue(likeness.fault().startsWith("the weight of a chosen expert differs by "), likeness.fault());
    }

    @Test
    void shouldOnlyCountWhatASequenceChoosesBehindAnotherChoice()
    {
        found[1] = 7;
        foundWeights[2] = 0.1f;
        likeness.add(experts, weights, found, foundWeights);
        likeness.addToken(0, 5, -1.0f, 5, -3.0f);

        assertNull(likeness.fault());
    }

    @Test
    void shouldFindAWeightThatIsNoNumber()
    {
        foundWeights[4] = Float.NaN;
        likeness.add(experts, weights, found, foundWeights);

        assertTrue(likeness.fault().startsWith("the weight of a chosen expert differs by NaN"), likeness.fault());
    }

    @Test
    void shouldFindATokenWithADistantLogProbability()
    {
        likeness.add(experts, weights, found, foundWeights);
        for (int sequence = 0; sequence < SEQUENCES; sequence++)
        {
            likeness.addToken(sequence, 5, -1.0f, 5, sequence == 3 ? -1.1f : -1.0f);
        }

        assertTrue(likeness.fault().startsWith("the log-probability of a sampled token differs by "), likeness.fault());
    }

    @Test
    void shouldFindLogitsThatAreFarAway()
    {
        final float[] exact = {3.0f, 4.0f, 3.0f, 4.0f};
        likeness.addLogits(0, exact, new float[] {3.1f, 4.0f, 3.0f, 4.0f}, 0, 2);
        assertNull(likeness.fault());
        likeness.addLogits(1, exact, new float[] {3.0f, 4.0f, 3.0f, 4.4f}, 2, 2);

        assertTrue(likeness.fault().startsWith("the logits of an entry differ by 0.08"), likeness.fault());
    }

    @Test
    void shouldFindALogitThatIsNoNumber()
    {
        likeness.addLogits(0, new float[] {3.0f, 4.0f}, new float[] {3.0f, Float.NaN}, 0, 2);

        assertTrue(likeness.fault().startsWith("the logits of an entry differ by NaN"), likeness.fault());
    }

    /** Logits behind another choice are of another text, and shares of the large model are counted only. */
    @Test
    void shouldAllowOtherLogitsBehindAnotherChoice()
    {
        final LikenessOfChoices counted = new LikenessOfChoices(SHAPE, SEQUENCES, 0.0);
        for (int i = 0; i < found.length; i += 10)
        {
            found[i] = (byte)(found[i] ^ 1);
        }
        counted.add(experts, weights, found, foundWeights);
        counted.addLogits(0, new float[] {3.0f, 4.0f}, new float[] {-3.0f, 4.0f}, 0, 2);

        assertNull(counted.fault());
        final Findings findings = new Findings();
        counted.report("large", findings);
        assertEquals(0.0, findings.result(GpuSection.MODEL, 0.0).figures().stream()
            .filter(figure -> figure.name().startsWith("large: logits compared")).findFirst().orElseThrow().value());
    }

    @Test
    void shouldFindManyOtherChoices()
    {
        for (int i = 0; i < found.length; i += 10)
        {
            found[i] = (byte)(found[i] ^ 1);
        }
        likeness.add(experts, weights, found, foundWeights);

        assertTrue(likeness.fault().startsWith("only 144 of 160 choices of experts"), likeness.fault());
    }
}
