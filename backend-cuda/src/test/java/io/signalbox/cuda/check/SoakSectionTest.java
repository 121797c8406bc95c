// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.backend.Backend;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.WeightType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The verdicts of the soak on the figures of an engine, whose answers are those of Java. */
class SoakSectionTest
{
    private static final long SEED = 5;

    /** Answers without a device. */
    private record Answers(long others, long preemptions, long missingRows, boolean wrong) implements EngineRunner
    {
        @Override
        public void generate(final Backend backend, final ModelShape capture, final int tokens)
        {
            throw new AssertionError("not asked for");
        }

        @Override
        public Served serve(
            final Backend backend, final ModelShape capture, final List<int[]> prompts, final int tokens, final int drafts,
            final double seconds)
        {
            backend.close();
            final List<int[]> answers = new ArrayList<>();
            try (ModelOracle oracle = new ModelOracle(
                GeneratedModel.weights(CheckedModel.SMALL.get(0).plan(WeightType.BF16), SEED), ModelSection.sizes(4, 1, 1)))
            {
                prompts.forEach(prompt -> answers.add(oracle.answer(prompt, tokens)));
            }
            answers.get(3)[7] ^= wrong ? 1 : 0;
            return new Served(answers, 100, others, preemptions, 10, 2_000, missingRows);
        }
    }

    private static SectionResult soak(final Answers answers)
    {
        EmulatedDriver.assumeAvailable();
        final JCudaBinding driver = new JCudaBinding();
        driver.load();
        driver.initialise();
        final CheckConfig options = SmallCheck.of(Set.of(GpuSection.SOAK)).withSeed(SEED);
        final Findings findings = new Findings();
        try (CheckDevice device = new CheckDevice(driver, 0))
        {
            new SoakSection(answers).run(device, options, findings);
        }
        return findings.result(GpuSection.SOAK, 1.0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0 | 2 | 1 | false | 1 of 2000 rows of requests with 3 draft tokens are missing.",
        "4 | 2 | 0 | false | 4 of 100 requests with 3 draft tokens were answered otherwise than before, or have other",
        "0 | 2 | 0 | true  | Request 3 with 3 draft tokens was answered otherwise than by Java.",
        "0 | 0 | 0 | false | No request was preempted, or no draft token was right"})
    void shouldFail(
        final long others, final long preemptions, final long missingRows, final boolean wrong, final String sentence)
    {
        final SectionResult result = soak(new Answers(others, preemptions, missingRows, wrong));

        assertEquals(CheckVerdict.FAILED, result.verdict(), result.toString());
        assertTrue(result.note().startsWith(sentence), result.note());
    }

    @Test
    void shouldAddUpItsRounds()
    {
        final SectionResult result = soak(new Answers(0, 2, 0, false));
        final double rounds = figure(result, "rounds, their journals verified");

        assertEquals(CheckVerdict.PASSED, result.verdict(), result.toString());
        assertTrue(rounds >= 2.0, result.toString());
        assertEquals(2_000 * rounds, figure(result, "rows"));
        assertEquals(0.0, figure(result, "missing rows"));
    }

    private static double figure(final SectionResult result, final String name)
    {
        return result.figures().stream().filter(figure -> figure.name().equals(name)).findFirst().orElseThrow().value();
    }
}
