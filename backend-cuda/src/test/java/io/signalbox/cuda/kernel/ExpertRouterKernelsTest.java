// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.StateDigest;
import io.signalbox.TestStrength;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.EmulatedDriver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The router kernels on the emulated driver against the oracle, bit for bit. */
class ExpertRouterKernelsTest
{
    private static final int SEEDS = TestStrength.count(200, 20_000);
    private static final int LAYER = 1;
    private static final int WIDTH = 37;
    private static final int TOKENS = 5;

    private KernelRig rig;

    @BeforeEach
    void open()
    {
        EmulatedDriver.assumeAvailable();
        rig = new KernelRig();
    }

    @ParameterizedTest
    @EnumSource(ExpertRouterMode.class)
    void shouldRouteAsTheOracleDoesForEverySize(final ExpertRouterMode mode)
    {
        for (int experts = ExpertRouterSpec.MIN_EXPERTS; experts <= ExpertRouterSpec.MAX_EXPERTS; experts++)
        {
            final ExpertRouterCase routerCase = new ExpertRouterCase(experts);
            final int topK = 1 + experts % Math.min(ExpertRouterSpec.MAX_TOP_K, experts);
            check(routerCase, routerCase.spec(experts, topK, mode, LogitsType.values()[experts % 2]), 2);
        }
    }

    @ParameterizedTest
    @EnumSource(ExpertRouterMode.class)
    void shouldRouteAsTheOracleDoesForEveryTopK(final ExpertRouterMode mode)
    {
        for (final LogitsType type : LogitsType.values())
        {
            for (final int experts : new int[] {8, 40, 60, 64, 128, 160, 255, 256, 257, 384, 512})
            {
                for (int topK = 1; topK <= Math.min(ExpertRouterSpec.MAX_TOP_K, experts); topK++)
                {
                    final ExpertRouterCase routerCase = new ExpertRouterCase(1000L * experts + topK);
                    check(routerCase, routerCase.spec(experts, topK, mode, type), 1);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(EmulatedDriver.Order.class)
    void shouldRouteAsTheOracleDoesInWhateverOrderWarpsRun(final EmulatedDriver.Order order)
    {
        EmulatedDriver.order(order, 7);
        for (int seed = 0; seed < SEEDS; seed++)
        {
            final ExpertRouterCase routerCase = new ExpertRouterCase(seed);
            check(routerCase, routerCase.spec(), 1 + seed % KernelRig.MAX_TOKENS);
        }
    }

    /** Fused, then unfused, on the same logits. */
    private void check(final ExpertRouterCase routerCase, final ExpertRouterSpec spec, final int tokens)
    {
        final float[][] logits = new float[tokens][];
        Arrays.setAll(logits, token -> routerCase.logits(spec));
        final ExpertRouterMemory router = new ExpertRouterMemory(rig.uploadLogits(spec, logits), rig.upload(spec.bias()),
            rig.words(tokens * spec.topK()), rig.words(tokens * spec.topK()));
        rig.writeStep(tokens);
        final KernelLaunches launches = rig.launches(spec, true);

        rig.run(launches.slotOpen());
        rig.run(launches.routeCapturing(spec, router, LAYER, KernelRig.MAX_TOKENS));
        final short[] fused = rig.captureView(KernelRig.SLOT, spec.topK());
        final int[] ids = checkRouted(spec, logits, router);
        checkCapture(spec, ids, fused);

        rig.run(launches.slotOpen());
        rig.run(launches.route(spec, router, KernelRig.MAX_TOKENS));
        rig.run(launches.captureCopy(router.ids(), LAYER, 1, KernelRig.MAX_TOKENS));
        assertArrayEquals(fused, rig.captureView(KernelRig.SLOT, spec.topK()), spec.toString());
        for (final short id : rig.captureView(0, spec.topK()))
        {
            assertTrue(KernelRig.isUntouched(id), "a slot that is not the step's was written");
        }
        rig.free(router.logits(), router.bias(), router.ids(), router.weights());
    }

    private int[] checkRouted(final ExpertRouterSpec spec, final float[][] logits, final ExpertRouterMemory router)
    {
        final int topK = spec.topK();
        final int[] ids = rig.downloadWords(router.ids(), logits.length * topK);
        final int[] weights = rig.downloadWords(router.weights(), logits.length * topK);
        final ExpertRouterOracle oracle = new ExpertRouterOracle(spec);
        final int[] expectedIds = new int[topK];
        final float[] expectedWeights = new float[topK];
        for (int token = 0; token < logits.length; token++)
        {
            oracle.route(logits[token], expectedIds, expectedWeights);
            for (int k = 0; k < topK; k++)
            {
                assertEquals(expectedIds[k], ids[token * topK + k], spec + " at k=" + k);
                assertEquals(Float.floatToRawIntBits(expectedWeights[k]), weights[token * topK + k],
                    spec + " weighs " + expectedWeights[k] + " at k=" + k);
            }
        }
        return ids;
    }

    /** The layer's first rows are the ids; all other elements of the slot still read -1. */
    private static void checkCapture(final ExpertRouterSpec spec, final int[] ids, final short[] view)
    {
        final int from = LAYER * KernelRig.MAX_TOKENS * spec.topK();
        for (int i = 0; i < view.length; i++)
        {
            final boolean written = i >= from && i < from + ids.length;
            assertEquals(written ? ids[i - from] : -1, view[i], spec + " at element " + i);
        }
    }

    @ParameterizedTest
    @EnumSource(ExpertRouterMode.class)
    void shouldMixTheOutputsOfTheOraclesExpertsInTheOpaqueForm(final ExpertRouterMode mode)
    {
        for (int seed = 0; seed < SEEDS / 4; seed++)
        {
            final ExpertRouterCase routerCase = new ExpertRouterCase(seed);
            final ExpertRouterSpec spec = routerCase.spec(mode, LogitsType.values()[seed % 2]);
            final float[][] logits = new float[TOKENS][];
            Arrays.setAll(logits, token -> routerCase.logits(spec));
            final float[] outputs = outputs(spec);
            final ExpertRouterMemory router = new ExpertRouterMemory(
                rig.uploadLogits(spec, logits), rig.upload(spec.bias()), null, null);
            final DeviceMemory expertOutputs = rig.upload(outputs);
            final DeviceMemory mixed = rig.words(TOKENS * WIDTH);
            rig.writeStep(TOKENS);

            final KernelLaunches launches = rig.launches(spec, true);
            rig.run(launches.slotOpen());
            rig.run(launches.opaque(spec, router, expertOutputs, WIDTH, mixed, KernelRig.MAX_TOKENS));

            checkMixed(spec, logits, outputs, rig.downloadWords(mixed, TOKENS * WIDTH));
            checkCapture(spec, new int[0], rig.captureView(KernelRig.SLOT, spec.topK()));
            rig.free(router.logits(), router.bias(), expertOutputs, mixed);
        }
    }

    /** Distinct for each expert and column, so that no set of others gives the same mix. */
    private static float[] outputs(final ExpertRouterSpec spec)
    {
        final float[] outputs = new float[spec.experts() * WIDTH];
        for (int i = 0; i < outputs.length; i++)
        {
            outputs[i] = (StateDigest.finalise(i) >>> 40) * 0x1.0p-24f - 0.5f;
        }
        return outputs;
    }

    private static void checkMixed(
        final ExpertRouterSpec spec, final float[][] logits, final float[] outputs, final int[] mixed)
    {
        final ExpertRouterOracle oracle = new ExpertRouterOracle(spec);
        for (int token = 0; token < TOKENS; token++)
        {
            final float[] expected = oracle.mix(logits[token], outputs, WIDTH);
            for (int column = 0; column < WIDTH; column++)
            {
                assertEquals(Float.floatToRawIntBits(expected[column]), mixed[token * WIDTH + column], spec.toString());
            }
        }
    }

    @Test
    void shouldWriteOnlyWhatItIsGivenMemoryFor()
    {
        final ExpertRouterSpec spec = ExpertRouterSpec.plain(40, 6, ExpertRouterMode.SOFTMAX_TOPK, LogitsType.BF16);
        final float[][] logits = {new ExpertRouterCase(3).logits(spec)};
        final ExpertRouterMemory router = new ExpertRouterMemory(rig.uploadLogits(spec, logits), null, null, null);
        rig.writeStep(1);
        final KernelLaunches launches = rig.launches(spec, true);

        rig.run(launches.slotOpen());
        rig.run(launches.routeCapturing(spec, router, LAYER, 1));

        final int[] ids = new int[6];
        new ExpertRouterOracle(spec).route(logits[0], ids, new float[6]);
        checkCapture(spec, ids, rig.captureView(KernelRig.SLOT, spec.topK()));
    }
}
