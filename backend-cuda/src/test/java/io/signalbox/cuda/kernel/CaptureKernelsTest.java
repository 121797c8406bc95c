// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.SeededTokens;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.EmulatedDriver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The kernels around the router on the emulated driver: seeded logits, slots, packing and sampling. */
class CaptureKernelsTest
{
    private static final SeededLogits SEEDED = new SeededLogits(77, 16);
    private static final long SAMPLE_SEED = 5;
    private static final int N = KernelRig.MAX_TOKENS;
    private static final int ROWS_PER_LINE = 16;

    private KernelRig rig;

    @BeforeEach
    void open()
    {
        EmulatedDriver.assumeAvailable();
        rig = new KernelRig();
    }

    private static ExpertRouterSpec spec(final int experts, final int topK)
    {
        return ExpertRouterSpec.plain(experts, topK, ExpertRouterMode.SOFTMAX_TOPK, LogitsType.BF16);
    }

    /** A whole step: every layer's logits, routing with capture, rows and tokens packed. */
    private KernelLaunches runStep(final ExpertRouterSpec spec, final int tokens, final int... lastTokens)
    {
        final KernelLaunches launches = openStep(spec, tokens, lastTokens);
        final ExpertRouterMemory router = new ExpertRouterMemory(rig.words(N * spec.experts()), null, null, null);
        for (int layer = 0; layer < KernelRig.LAYERS; layer++)
        {
            rig.run(launches.seededLogits(SEEDED, spec, router.logits(), layer, N));
            rig.run(launches.routeCapturing(spec, router, layer, N));
        }
        rig.free(router.logits());
        return launches;
    }

    private KernelLaunches openStep(final ExpertRouterSpec spec, final int tokens, final int... lastTokens)
    {
        rig.writeStep(tokens, lastTokens);
        final KernelLaunches launches = rig.launches(spec, true);
        rig.run(launches.slotOpen());
        return launches;
    }

    private void pack(final KernelLaunches launches, final ExpertRouterSpec spec)
    {
        rig.run(launches.sampleSeeded(SAMPLE_SEED, N));
        rig.run(launches.packRows(spec.experts(), N));
    }

    @ParameterizedTest
    @EnumSource(LogitsType.class)
    void shouldFillInTheLogitsThatJavaPredicts(final LogitsType type)
    {
        for (final int experts : new int[] {8, 60, 64, 257, 512})
        {
            final ExpertRouterSpec spec = ExpertRouterSpec.plain(experts, 1, ExpertRouterMode.SOFTMAX_TOPK, type);
            final KernelLaunches launches = openStep(spec, 4);
            final DeviceMemory logits = rig.words(N * experts);
            rig.run(launches.seededLogits(SEEDED, spec, logits, 2, N));
            final ByteBuffer found = rig.download(logits);
            final float[] expected = new float[experts];
            for (int token = 0; token < 4; token++)
            {
                SEEDED.fill(KernelRig.request(token), KernelRig.position(token), 2, expected);
                for (int expert = 0; expert < experts; expert++)
                {
                    final int index = token * experts + expert;
                    final float logit = type == LogitsType.FP32 ? found.getFloat(4 * index) :
                        Float.intBitsToFloat(found.getShort(2 * index) << 16);
                    assertEquals(expected[expert], logit);
                }
            }
            assertEquals(0x5A5A, found.getShort(4 * experts * type.bytes()), "a row of padding was written");
            rig.free(logits);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 40, 255, 256, 257, 512})
    void d20ShouldPackRowsTokenMajorOnBothSidesOfTheByteBoundary(final int experts)
    {
        for (int topK = 1; topK <= Math.min(ExpertRouterSpec.MAX_TOP_K, experts); topK++)
        {
            final ExpertRouterSpec spec = spec(experts, topK);
            final int tokens = topK % (N + 1);
            pack(runStep(spec, tokens, 0, Math.max(0, tokens - 1)), spec);

            assertNull(rig.fault());
            checkResult(spec, rig.result(), tokens);
        }
    }

    private void checkResult(final ExpertRouterSpec spec, final ResultSlot result, final int tokens)
    {
        assertEquals(tokens, result.tokens());
        assertEquals(KernelRig.LAYERS, result.layers());
        assertEquals(spec.topK(), result.topK());
        assertEquals(spec.experts() > 256 ? 2 : 1, result.idBytes());
        assertEquals(0, result.unwritten() + result.bad());
        final ExpertRouterOracle oracle = new ExpertRouterOracle(spec);
        final float[] logits = new float[spec.experts()];
        final int[] ids = new int[spec.topK()];
        for (int token = 0; token < tokens; token++)
        {
            for (int layer = 0; layer < KernelRig.LAYERS; layer++)
            {
                SEEDED.fill(KernelRig.request(token), KernelRig.position(token), layer, logits);
                oracle.route(logits, ids, new float[spec.topK()]);
                for (int k = 0; k < spec.topK(); k++)
                {
                    assertEquals(ids[k], result.expert(token, layer, k), spec + " token " + token + " layer " + layer);
                }
            }
        }
    }

    @Test
    void shouldSampleFromTheLastTokenOfEachRow()
    {
        final ExpertRouterSpec spec = spec(64, 8);
        pack(runStep(spec, 7, 2, 3, 6), spec);

        assertNull(rig.fault());
        final int[] lastTokens = {2, 3, 6};
        for (int row = 0; row < lastTokens.length; row++)
        {
            final int last = lastTokens[row];
            assertEquals(SeededTokens.token(SAMPLE_SEED, KernelRig.request(last), KernelRig.position(last) + 1),
                rig.result().sampledToken(row));
        }
        for (int row = lastTokens.length; row < ROWS_PER_LINE; row++)
        {
            assertEquals(0, rig.result().sampledToken(row), "up to the next 64 bytes");
        }
    }

    @Test
    void shouldGiveAWholeResultWithoutTokensAndWithoutCapture()
    {
        final ExpertRouterSpec spec = spec(64, 8);
        pack(runStep(spec, 0), spec);
        assertNull(rig.fault());
        assertEquals(0, rig.result().checksum());

        rig.writeStep(3, 0, 1, 2);
        final KernelLaunches withoutCapture = rig.launches(spec, false);
        rig.run(withoutCapture.slotOpen());
        rig.run(withoutCapture.sampleSeeded(SAMPLE_SEED, N));
        rig.run(withoutCapture.packRows(0, N));
        assertNull(rig.fault());
        assertEquals(0, rig.result().layers());
        assertEquals(0, rig.result().expertsBytes());
        for (final short id : rig.captureView(KernelRig.SLOT, spec.topK()))
        {
            assertTrue(KernelRig.isUntouched(id));
        }
    }

    @Test
    void d14ShouldCountTheIdsThatNoKernelWrote()
    {
        final ExpertRouterSpec spec = spec(64, 8);
        final KernelLaunches launches = openStep(spec, 5, 4);
        final ExpertRouterMemory router = new ExpertRouterMemory(rig.words(N * spec.experts()), null, null, null);
        rig.run(launches.seededLogits(SEEDED, spec, router.logits(), 0, N));
        rig.run(launches.routeCapturing(spec, router, 0, N));
        pack(launches, spec);

        assertNull(rig.fault());
        assertEquals(5 * (KernelRig.LAYERS - 1) * 8, rig.result().unwritten());
        assertEquals(0, rig.result().bad());
    }

    @Test
    void d26ShouldCountIdsThatAreOutOfRangeOrRepeated()
    {
        final ExpertRouterSpec spec = spec(300, 7);
        final KernelLaunches launches = runStep(spec, 6, 5);
        final short[] view = rig.captureView(KernelRig.SLOT, 7);
        rig.plant(7, 0, 0, 3, 300);
        rig.plant(7, 1, 2, 6, -2);
        rig.plant(7, 2, 5, 6, view[(2 * N + 5) * 7]);
        rig.plant(7, 2, 4, 1, -1);
        rig.plant(7, 0, 1, 1, view[7]);
        pack(launches, spec);

        assertNull(rig.fault());
        assertEquals(4, rig.result().bad());
        assertEquals(1, rig.result().unwritten());
    }

    @Test
    void shouldFillAViewThatIsNotAligned()
    {
        for (final int topK : new int[] {1, 3, 5, 7, 21})
        {
            openStep(spec(512, topK), 2, 1);
            for (final short id : rig.captureView(KernelRig.SLOT, topK))
            {
                assertEquals(-1, id);
            }
            for (final short id : rig.captureView(0, topK))
            {
                assertTrue(KernelRig.isUntouched(id));
            }
        }
    }

    /** A slot is opened for the rows that its step may have written, layer by layer. */
    @Test
    void shouldOpenTheRowsOfTheBucketAlone()
    {
        for (final int topK : new int[] {1, 5, 8})
        {
            for (int bucket = 0; bucket <= N; bucket++)
            {
                rig.bucket(bucket);
                openStep(spec(512, topK), 0);
                final short[] view = rig.captureView(KernelRig.SLOT, topK);
                for (int i = 0; i < view.length; i++)
                {
                    assertEquals(i % (N * topK) < bucket * topK, view[i] == -1, "bucket " + bucket + ", element " + i);
                }
            }
        }
    }

    /** A slot does not know the step to come: one of more entries finds no rows of the last one where its tokens belong. */
    @ParameterizedTest
    @ValueSource(ints = {1, 16, 17, 20, 39, 40})
    void shouldOpenTheTokensOfAnyNumberOfEntries(final int entries)
    {
        final int tokens = 40;
        rig = new KernelRig(tokens);
        final ExpertRouterSpec spec = spec(64, 8);
        rig.writeStep(tokens, 0);
        final KernelLaunches launches = rig.launches(spec, true);
        rig.run(launches.slotOpen());
        final DeviceMemory logits = rig.words(tokens * spec.experts());
        for (int layer = 0; layer < KernelRig.LAYERS; layer++)
        {
            rig.run(launches.seededLogits(SEEDED, spec, logits, layer, tokens));
            rig.run(launches.routeCapturing(spec, new ExpertRouterMemory(logits, null, null, null), layer, tokens));
        }
        rig.run(launches.packRows(spec.experts(), tokens));
        rig.run(launches.slotOpen());

        rig.writeStep(tokens, IntStream.range(0, entries).toArray());
        rig.run(launches.packRows(spec.experts(), tokens));
        for (int entry = 0; entry < entries; entry++)
        {
            assertEquals(-1, rig.result().sampledToken(entry), "entry " + entry);
        }
        rig.free(logits);
    }

    /** All layers of a step at once. */
    @Test
    void shouldCopyTheIdsOfEveryLayer()
    {
        final ExpertRouterSpec spec = spec(64, 6);
        final KernelLaunches launches = openStep(spec, 5, 4);
        final DeviceMemory ids = rig.words(KernelRig.LAYERS * N * 6);
        final ExpertRouterMemory router = new ExpertRouterMemory(rig.words(N * 64), null, ids, null);
        for (int layer = 0; layer < KernelRig.LAYERS; layer++)
        {
            rig.run(launches.seededLogits(SEEDED, spec, router.logits(), layer, N));
            rig.run(launches.route(spec, new ExpertRouterMemory(router.logits(), null,
                ids.slice(4L * layer * N * 6, 4L * N * 6), null), N));
        }
        rig.run(launches.captureCopy(ids, 0, KernelRig.LAYERS, N));
        pack(launches, spec);

        assertNull(rig.fault());
        checkResult(spec, rig.result(), 5);
        rig.free(ids, router.logits());
    }

    @Test
    void shouldReadMemoryAndLeaveItAlone()
    {
        final ExpertRouterSpec spec = spec(64, 8);
        final KernelLaunches launches = openStep(spec, 1, 0);
        final DeviceMemory source = rig.upload(new float[4096]);
        final DeviceMemory sink = rig.words(1);
        rig.run(launches.streamBytes(source, sink));
        assertEquals(0x5A5A5A5A, rig.downloadWords(sink, 1)[0]);
        assertEquals(0, rig.downloadWords(source, 4096)[4095]);
    }
}
