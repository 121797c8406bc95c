// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.kernel.DeviceExperts;
import io.signalbox.cuda.kernel.DeviceMatrix;
import io.signalbox.model.AttentionWeights;
import io.signalbox.model.FeedForward;
import io.signalbox.model.LayerWeights;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.MoeWeights;
import io.signalbox.model.WeightMatrix;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** All weights of a model in the memory of one device: one copy for all its ranks. */
public final class DecoderWeights implements AutoCloseable
{
    /** Gate, up and down of a dense MLP or of the shared experts. */
    record Mlp(DeviceMatrix gate, DeviceMatrix up, DeviceMatrix down)
    {
        int width()
        {
            return gate.rows();
        }
    }

    /** Projections of attention; norms may be {@code null}. */
    record Attention(
        DeviceMatrix query, DeviceMatrix key, DeviceMatrix value, DeviceMatrix output, DeviceMemory queryNorm,
        DeviceMemory keyNorm)
    {
    }

    /** Router and experts of an MoE layer; bias and shared experts may be {@code null}. */
    record Experts(DeviceMatrix router, DeviceMemory bias, DeviceExperts experts, Mlp shared)
    {
    }

    /** One layer; it has an MLP or experts. */
    record Layer(DeviceMemory inputNorm, Attention attention, DeviceMemory postAttentionNorm, Mlp dense, Experts experts)
    {
    }

    private final DriverResources owned;
    private final WeightUpload upload;
    private final DeviceMatrix embedding;
    private final List<Layer> layers = new ArrayList<>();
    private final DeviceMemory finalNorm;
    private final DeviceMatrix head;

    /** Copies the weights to the device whose context is current. */
    public DecoderWeights(final CudaDriver driver, final ModelWeights weights)
    {
        owned = new DriverResources(driver);
        try (WeightUpload staging = new WeightUpload(driver, owned))
        {
            upload = staging;
            embedding = matrix(weights.embedding());
            for (final LayerWeights layer : weights.layers())
            {
                layers.add(new Layer(upload.vector(layer.inputNorm()), attention(layer.attention()),
                    upload.vector(layer.postAttentionNorm()), mlp(layer.dense()), experts(layer.moe())));
            }
            finalNorm = upload.vector(weights.finalNorm());
            head = weights.plan().tiedEmbeddings() ? embedding : matrix(weights.head());
        }
        catch (final RuntimeException e)
        {
            owned.closeAfter(e);
            throw e;
        }
    }

    private DeviceMatrix matrix(final WeightMatrix weights)
    {
        return new DeviceMatrix(upload.matrices(List.of(weights)), weights.rows(), weights.columns(), weights.type());
    }

    private Attention attention(final AttentionWeights weights)
    {
        return new Attention(matrix(weights.query()), matrix(weights.key()), matrix(weights.value()),
            matrix(weights.output()), upload.vector(weights.queryNorm()), upload.vector(weights.keyNorm()));
    }

    private Mlp mlp(final FeedForward weights)
    {
        return weights == null ? null :
            new Mlp(matrix(weights.gate()), matrix(weights.up()), matrix(weights.down()));
    }

    private Experts experts(final MoeWeights weights)
    {
        if (weights == null)
        {
            return null;
        }
        final DeviceExperts experts = new DeviceExperts(each(weights, FeedForward::gate), each(weights, FeedForward::up),
            each(weights, FeedForward::down), weights.experts().get(0).gate().type());
        return new Experts(matrix(weights.router()), upload.vector(weights.bias()), experts, mlp(weights.shared()));
    }

    private DeviceMemory each(final MoeWeights weights, final Function<FeedForward, WeightMatrix> part)
    {
        return upload.matrices(weights.experts().stream().map(part).toList());
    }

    DeviceMatrix embedding()
    {
        return embedding;
    }

    Layer layer(final int index)
    {
        return layers.get(index);
    }

    DeviceMemory finalNorm()
    {
        return finalNorm;
    }

    DeviceMatrix head()
    {
        return head;
    }

    @Override
    public void close()
    {
        owned.close();
    }
}
