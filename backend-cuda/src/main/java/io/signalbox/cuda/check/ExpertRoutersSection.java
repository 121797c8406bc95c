// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.kernel.ExpertRouterMode;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.cuda.kernel.LogitsType;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Every router mode and logit type, over numbers of experts that are and are not powers of two and over set sizes, on
 * fresh random inputs. All bits of ids, weights, capture rows and mixed outputs must be the oracle's, and nothing else may
 * be written.
 */
final class ExpertRoutersSection implements CheckSection
{
    private static final int[] EXPERTS = {8, 12, 16, 32, 33, 40, 60, 64, 96, 128, 160, 192, 256, 257, 384, 512};
    private static final int[] TOP_K = {1, 2, 4, 6, 8, 10, 22};
    private static final int MAX_GROUPS = 8;
    private static final int REPORTED_DIFFERENCES = 3;

    private final CheckOracle oracle;

    ExpertRoutersSection(final CheckOracle oracle)
    {
        this.oracle = oracle;
    }

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        final SplittableRandom random = new SplittableRandom(options.seed());
        try (DriverResources scratch = new DriverResources(device.driver()))
        {
            final ExpertRouterTrial trial = new ExpertRouterTrial(device, scratch, oracle);
            long inputs = 0;
            long differing = 0;
            for (final ExpertRouterSpec spec : specs(options.rounds(), random))
            {
                final String difference = trial.run(spec, random);
                inputs++;
                if (difference != null && ++differing <= REPORTED_DIFFERENCES)
                {
                    findings.failed(difference);
                }
            }
            findings.count("inputs, each routed with and without showing ids", inputs);
            findings.count("tokens routed and compared", inputs * ExpertRouterTrial.TOKENS);
            findings.count("inputs with a difference", differing);
        }
        findings.note("All bits of ids, weights, capture rows and mixed outputs, and that nothing else was written.");
    }

    private static List<ExpertRouterSpec> specs(final int rounds, final SplittableRandom random)
    {
        final List<ExpertRouterSpec> specs = new ArrayList<>();
        for (final ExpertRouterMode mode : ExpertRouterMode.values())
        {
            for (final LogitsType type : LogitsType.values())
            {
                for (final int experts : EXPERTS)
                {
                    addSizes(specs, experts, mode, type, rounds, random);
                }
            }
        }
        return specs;
    }

    private static void addSizes(
        final List<ExpertRouterSpec> specs,
        final int experts,
        final ExpertRouterMode mode,
        final LogitsType type,
        final int rounds,
        final SplittableRandom random)
    {
        for (final int topK : TOP_K)
        {
            for (int round = 0; round < rounds && topK <= experts; round++)
            {
                specs.add(spec(experts, topK, mode, type, random));
            }
        }
    }

    private static ExpertRouterSpec spec(
        final int experts, final int topK, final ExpertRouterMode mode, final LogitsType type, final SplittableRandom random)
    {
        final boolean renormalise = random.nextBoolean();
        if (mode != ExpertRouterMode.SIGMOID_BIAS)
        {
            return ExpertRouterSpec.plain(experts, topK, mode, type).withRenormalise(renormalise);
        }
        final int groups = groups(experts, random);
        final int least = (topK * groups + experts - 1) / experts;
        final float[] bias = random.nextInt(4) == 0 ? null : bias(experts, random);
        return ExpertRouterSpec.plain(experts, topK, mode, type).withGroups(groups, random.nextInt(least, groups + 1))
            .withRenormalise(renormalise).withScale(2.5f).withBias(bias);
    }

    private static int groups(final int experts, final SplittableRandom random)
    {
        final int groups = random.nextInt(1, MAX_GROUPS + 1);
        return experts % groups == 0 ? groups : 1;
    }

    /** Negative ones among them, for which an expert masked with 0 would win. */
    private static float[] bias(final int experts, final SplittableRandom random)
    {
        final float[] bias = new float[experts];
        for (int expert = 0; expert < experts; expert++)
        {
            bias[expert] = (float)(random.nextDouble() * 4.0 - 3.0);
        }
        return bias;
    }
}
