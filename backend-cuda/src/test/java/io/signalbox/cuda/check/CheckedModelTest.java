// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Memory, bytes and limits of the checked models, without a device. */
class CheckedModelTest
{
    private static final CheckedModel LARGE = CheckedModel.large(16);
    private static final ModelFloor FLOOR = new ModelFloor(LARGE.shape(), 3.0e12);
    /** Of an H100 with 80 GB. */
    private static final long H100_BYTES = 84_000_000_000L;
    private static final long A100_BYTES = 42_000_000_000L;

    private final Findings findings = new Findings();

    static CheckConfig options(final int modelLayers)
    {
        return SmallCheck.of(Set.of(GpuSection.MODEL)).withModel(modelLayers, false);
    }

    /** One pool beside the weights; a second pool would not fit. */
    @Test
    void shouldHaveRoomForEveryBatchOnAnH100()
    {
        final ModelRoom room = new ModelRoom(LARGE, FLOOR);
        final long free = H100_BYTES - FLOOR.weightBytes();

        assertEquals(13.8, FLOOR.weightBytes() / 1e9, 0.1);
        assertEquals(34.4, room.poolBytes(256) / 1e9, 0.1);
        assertEquals(List.of(1, 32, 256), room.fitting(LARGE.batches(), free));
        room.refuseOthers("", LARGE.batches(), free, findings);
        assertEquals(CheckVerdict.PASSED, findings.result(GpuSection.MODEL, 0.0).verdict());
        assertEquals(List.of(1, 32), room.fitting(LARGE.batches(), free - room.poolBytes(256)));
        assertTrue(ModelForms.POOLS * room.poolBytes(LARGE.formsBatch()) < free * ModelRoom.MEMORY_SHARE);
    }

    @Test
    void shouldNameTheBatchForWhichThereIsNoRoom()
    {
        final ModelRoom room = new ModelRoom(LARGE, FLOOR);
        room.refuseOthers("OLMoE: ", LARGE.batches(), A100_BYTES - FLOOR.weightBytes(), findings);
        final SectionResult result = findings.result(GpuSection.MODEL, 0.0);

        assertEquals(CheckVerdict.NOT_RUN, result.verdict());
        assertEquals("OLMoE: decode of 256 needs 34.4 GB for keys and values, and this check takes 19.7 GB of what is " +
            "free on the device.", result.note());
    }

    /** Two tokens, two layers, top-2 of 300 experts: ids of two bytes. */
    @Test
    void shouldCountEachExpertOfALayerOnce()
    {
        final byte[] rows = {1, 0, 44, 0, 2, 0, 3, 0, 1, 0, 44, 1, 3, 0, 2, 0};

        assertEquals(5, ModelFloor.distinctExperts(rows, new ModelShape(2, 301, 2)));
        assertEquals(3, ModelFloor.distinctExperts(new byte[] {4, 5, 5, (byte)200}, new ModelShape(1, 256, 2)));
    }

    @Test
    void shouldReadTheWeightsOfTheChosenExpertsOnly()
    {
        final double expert = 3.0 * 2048 * 1024 * 2;
        final double few = FLOOR.decodeMillis(1, 1024, 16 * 8);

        assertEquals(16 * expert / 3.0e12 * 1e3, FLOOR.decodeMillis(1, 1024, 16 * 9) - few, 1e-9);
        assertEquals(FLOOR.kvBytes(1, 1024) / 3.0e12 * 1e3, few - FLOOR.decodeMillis(1, 0, 16 * 8), 1e-9);
    }

    /** The device has answered: the section keeps its findings, and later sections run. */
    @Test
    @Timeout(60)
    void shouldNotBlameTheDeviceIfJavaIsSlow()
    {
        final CountDownLatch left = new CountDownLatch(1);
        findings.figure("found before", 1.0, "");
        LargeModel.inJava("OLMoE", 0.05, abandoned ->
        {
            while (!abandoned.getAsBoolean())
            {
                Thread.onSpinWait();
            }
            left.countDown();
        }, findings);
        final SectionResult result = findings.result(GpuSection.MODEL, 0.0);

        assertEquals(CheckVerdict.NOT_RUN, result.verdict());
        assertTrue(result.note().startsWith("OLMoE was not compared with Java, which did not end within 0 s;"),
            result.note());
        assertEquals(1, result.figures().size());
        assertEquals(true, await(left));
    }

    @Test
    void shouldFailWhereJavaFails()
    {
        LargeModel.inJava("OLMoE", 60.0, abandoned ->
        {
            throw new IllegalStateException("out of luck");
        }, findings);

        assertEquals("OLMoE in Java: Out of luck.", findings.result(GpuSection.MODEL, 0.0).note());
    }

    @Test
    void shouldGiveTheSectionMoreTimeThanJava()
    {
        final CheckConfig options = options(16);
        final double section = new CheckRun(options, null).limitSeconds(GpuSection.MODEL);

        assertTrue(section > LargeModel.javaSeconds(options) + 120.0, section + " s");
    }

    private static boolean await(final CountDownLatch latch)
    {
        try
        {
            latch.await();
            return true;
        }
        catch (final InterruptedException e)
        {
            return false;
        }
    }
}
