// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import io.signalbox.ConfigException;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ServedStepCostTest
{
    private static final CostTables TABLES = CostTables.standard();

    private static Deployment deployment(final String model, final String layout)
    {
        final ServedModelShape served = ServedModelShape.of(model);
        return new Deployment(served, Gpu.H200, Parallelism.parse(layout), served.precision(), SoftwareRun.of("vllm"));
    }

    private static ServedStepCost cost(final String model, final String layout)
    {
        return ServedStepCost.of(deployment(model, layout), TABLES);
    }

    private static StepLoad decode(final int entries, final int context, final int window)
    {
        final StepLoad load = new StepLoad();
        for (int entry = 0; entry < entries; entry++)
        {
            load.addDecode(context, window);
        }
        return load;
    }

    /** With answers so long that prompts do not count, TPOT is the time of a step. */
    @ParameterizedTest
    @CsvSource({"deepseek-v3, tp8, 16", "qwen3-235b, tp8ep8, 64", "gpt-oss-120b, tp2, 32", "mixtral-8x7b, tp4, 8"})
    void shouldTakeAsLongAsPredictedPerToken(final String model, final String layout, final int entries)
    {
        final Deployment deployment = deployment(model, layout);
        final ServedPoint point = new ServedPoint(deployment, 1, 4_000_000, entries, Double.NaN, Double.NaN);
        final double millis = new LatencyModel(TABLES).tpotMillis(point);
        final ServedStepCost cost = ServedStepCost.of(deployment, TABLES);

        final StepLoad load = decode(entries, 2_000_001, cost.shape().windowTokens());
        assertEquals(millis, cost.nanos(load, null) / 1e6, 0.001 * millis);
    }

    @Test
    void shouldReadWhatItWrites()
    {
        final ServedStepCost cost = cost("gpt-oss-120b", "dp2ep2");

        assertEquals(cost, ServedStepCost.parse(cost.text()));
        assertEquals(128, cost.shape().windowTokens());
        assertEquals(2, cost.shape().dataParallel());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"nothing", "a; moeLayers=1", "a; moeLayers=x", "a; moeLayers=-1",
        "a; moeLayers=1 experts=4 topK=8 expertGroups=1 dataParallel=1 windowTokens=0"})
    void shouldRefuseAnotherText(final String text)
    {
        final String message = assertThrows(ConfigException.class, () -> ServedStepCost.parse(text)).getMessage();
        assertTrue(message.endsWith("."), message);
    }

    @Test
    void shouldRefuseATermThatDoesNotExist()
    {
        final String text = cost("gpt-oss-120b", "tp2").text();
        assertThrows(ConfigException.class, () -> ServedStepCost.parse(text + " unknown=1"));
        final String huge = text.replaceFirst("base=\\d+", "base=99999999999999999");
        assertThrows(ConfigException.class, () -> ServedStepCost.parse(huge));
    }

    private static ExpertCounts counts(final int tokens, final int spread)
    {
        final ExpertCounts counts = new ExpertCounts(2, 128, 4, 1);
        final UnsafeBuffer row = new UnsafeBuffer(new byte[8]);
        for (int token = 0; token < tokens; token++)
        {
            for (int i = 0; i < 8; i++)
            {
                row.putByte(i, (byte)(i % 4 + 4 * (token % spread)));
            }
            counts.add(row, 0, false);
        }
        return counts;
    }

    /** Thirty-two tokens on four experts of one group, or on all experts of all groups. */
    @Test
    void shouldCostWhatTheSlowestGroupOfExpertsCosts()
    {
        final ServedStepCost cost = cost("gpt-oss-120b", "tp8ep8");
        final StepLoad load = decode(32, 1000, 128);
        final double even = counts(32, 32).slowestFemtos(cost);
        final double skewed = counts(32, 1).slowestFemtos(cost);

        final double expert = cost.femtos(StepTerm.EXPERT);
        final double assignment = cost.femtos(StepTerm.ASSIGNMENT);
        final double hottest = cost.femtos(StepTerm.HOTTEST);
        assertEquals(16 * expert + 16 * assignment + hottest, even, 1e-6 * even);
        assertEquals(4 * expert + 128 * assignment + 32 * hottest, skewed, 1e-6 * skewed);
        // If experts are alike, 32 tokens leave a third of them untouched.
        final long alike = cost.nanos(load, null);
        assertTrue(cost.nanos(load, counts(32, 1)) < alike && alike < cost.nanos(load, counts(32, 32)));
    }

    /** Attention groups share the experts: the tokens of the other group count for a group without any. */
    @Test
    void shouldCountTheTokensOfOtherGroups()
    {
        final ServedStepCost cost = cost("deepseek-v3", "dp8ep8");
        final StepLoad idle = new StepLoad();
        final long alone = cost.nanos(idle, null);
        idle.addGroup(decode(64, 1000, 0));

        assertTrue(cost.nanos(idle, null) > alone + 1_000_000, alone + " " + cost.nanos(idle, null));
    }

    @Test
    void shouldSayThatWeightsDoNotFit()
    {
        final String message =
            assertThrows(ConfigException.class, () -> deployment("deepseek-v3", "tp2").kvTokens()).getMessage();

        assertTrue(message.contains("deepseek-v3") && message.endsWith("spread the model over more GPUs."), message);
        assertTrue(deployment("deepseek-v3", "tp8").kvTokens() > 100_000);
    }
}
