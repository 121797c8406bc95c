// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.EmulatedDriver.Count;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.cuda.kernel.KernelImage;
import io.signalbox.model.AttentionPlan;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.LayerWeights;
import io.signalbox.model.ModelFamily;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.QkNorm;
import io.signalbox.model.WeightMatrix;
import io.signalbox.model.WeightType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Weights that the device makes have the bits of those that Java makes. */
class GeneratedWeightsTest
{
    private final CudaDriver driver = new JCudaBinding();
    private CudaDriver.KernelModule module;
    private CudaDriver.Stream stream;

    @BeforeEach
    void open()
    {
        EmulatedDriver.assumeAvailable();
        driver.load();
        driver.initialise();
        driver.makeCurrent(driver.retainPrimaryContext(0));
        module = driver.loadModule(KernelImage.load().bytes());
        stream = driver.createStream("compute");
    }

    private static ModelWeights weights(final WeightType type, final long seed, final AtomicLong copied)
    {
        return GeneratedModel.weights(DecoderPlan.of(ModelFamily.OLMOE, type, 1, 33, 75, AttentionPlan.of(2, 2, 8, 10_000.0)
            .withQkNorm(QkNorm.FULL_WIDTH).withClip(1.5), ExpertsPlan.softmax(3, 2, 7, false)).withMaxPositions(64), seed,
            copied::addAndGet);
    }

    @ParameterizedTest
    @EnumSource(WeightType.class)
    void shouldMakeTheBitsThatJavaMakes(final WeightType type)
    {
        final AtomicLong copied = new AtomicLong();
        final ModelWeights weights = weights(type, 11, copied);
        final LayerWeights layer = weights.layers().get(0);
        for (final WeightMatrix matrix : List.of(weights.embedding(), weights.head(), layer.attention().query(),
            layer.moe().router(), layer.moe().experts().get(2).down()))
        {
            assertEquals(matrix.bytes(), made(matrix), matrix.name());
        }
        assertNotEquals(weights.embedding().bytes(), made(weights(type, 12, copied).embedding()), "another seed");
    }

    private ByteBuffer made(final WeightMatrix matrix)
    {
        try (DriverResources owned = new DriverResources(driver))
        {
            final DeviceMemory memory;
            try (WeightUpload upload = new WeightUpload(driver, module, owned))
            {
                memory = upload.matrices(List.of(matrix));
            }
            final PinnedMemory host = owned.pinned(memory.bytes());
            driver.copyToHost(host, memory, memory.bytes(), stream);
            driver.synchronize(stream);
            return ByteBuffer.allocate((int)memory.bytes()).put(host.buffer()).flip();
        }
    }

    /** Only norms come from the host, and the progress is that of all matrices. */
    @ParameterizedTest
    @EnumSource(WeightType.class)
    void shouldBringNoMatrixToTheDevice(final WeightType type)
    {
        final AtomicLong copied = new AtomicLong();
        final ModelWeights weights = weights(type, 11, copied);
        final long before = EmulatedDriver.count(Count.BYTES_TO_DEVICE);

        DecoderWeights.load(driver, module, weights, KernelFamily.EXACT).close();

        assertTrue(EmulatedDriver.count(Count.BYTES_TO_DEVICE) - before < 1000, "bytes were copied");
        assertTrue(copied.get() > 0.9 * weights.plan().parameters() * type.bytes(), copied + " bytes");
    }
}
