// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.ConfigException;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.kernel.DeviceExperts;
import io.signalbox.cuda.kernel.DeviceMatrix;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.model.AttentionWeights;
import io.signalbox.model.FeedForward;
import io.signalbox.model.LayerWeights;
import io.signalbox.model.ModelException;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.MoeWeights;
import io.signalbox.model.PackedLayout;
import io.signalbox.model.PackedWeights;
import io.signalbox.model.WeightMatrix;
import io.signalbox.model.WeightType;

import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

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

    /** Projections of attention; norms and sinks may be {@code null}. */
    record Attention(
        DeviceMatrix query, DeviceMatrix key, DeviceMatrix value, DeviceMatrix output, DeviceMemory queryNorm,
        DeviceMemory keyNorm, DeviceMemory sinks)
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

    /** Matrices of the same shape in one piece of memory, by the name of the first one; {@code null} layout: unpacked. */
    private record Form(String matrix, WeightType type, PackedLayout layout)
    {
        boolean isLike(final Form other)
        {
            return type == other.type && Objects.equals(layout, other.layout);
        }

        @Override
        public String toString()
        {
            return layout == null ? type.toString() : type + " packed as " + layout.format() + " in blocks of " +
                layout.blockRows() + " x " + layout.blockColumns() +
                (layout.firstRow() == 0 ? "" : " from row " + layout.firstRow() + " of a block");
        }
    }

    private final DriverResources owned;
    private final List<DeviceMemory> memories;
    private final WeightTarget target;
    private final KernelFamily family;
    private final DeviceMatrix embedding;
    private final List<Layer> layers = new ArrayList<>();
    private final List<Form> forms = new ArrayList<>();
    private final DeviceMemory finalNorm;
    private final DeviceMatrix head;

    private DecoderWeights(
        final DriverResources owned, final List<DeviceMemory> memories, final WeightTarget target,
        final ModelWeights weights, final KernelFamily family)
    {
        this.family = family;
        this.owned = owned;
        this.memories = memories;
        this.target = target;
        embedding = matrices(List.of(weights.embedding()), null, null);
        for (final LayerWeights layer : weights.layers())
        {
            layers.add(new Layer(target.vector(layer.inputNorm()), attention(layer.attention()),
                target.vector(layer.postAttentionNorm()), mlp(layer.dense()), experts(layer.moe())));
        }
        finalNorm = target.vector(weights.finalNorm());
        head = weights.plan().tiedEmbeddings() ? embedding : matrix(weights.head(), null);
    }

    /**
     * Brings stored weights to the device whose context is current, and has it make generated ones.
     *
     * @param module with the kernels that make weights.
     * @param family of the kernels that multiply with them.
     */
    public static DecoderWeights load(
        final CudaDriver driver, final CudaDriver.KernelModule module, final ModelWeights weights, final KernelFamily family)
    {
        final DriverResources owned = new DriverResources(driver);
        final List<DeviceMemory> memories = new ArrayList<>();
        try (WeightUpload upload = new WeightUpload(driver, module, bytes -> taken(owned, bytes, memories), () -> false))
        {
            return reading(() -> new DecoderWeights(owned, memories, upload, weights, family));
        }
        catch (final RuntimeException | Error e)
        {
            owned.closeAfter(e);
            throw e;
        }
    }

    /** Allocates memory for weights; {@link WeightRefill} copies them. */
    public static DecoderWeights empty(
        final CudaDriver driver, final ModelWeights weights, final KernelFamily family)
    {
        final DriverResources owned = new DriverResources(driver);
        final List<DeviceMemory> memories = new ArrayList<>();
        try
        {
            return new DecoderWeights(
                owned, memories, new WeightRoom(bytes -> taken(owned, bytes, memories)), weights, family);
        }
        catch (final RuntimeException | Error e)
        {
            owned.closeAfter(e);
            throw e;
        }
    }

    private static DeviceMemory taken(final DriverResources owned, final long bytes, final List<DeviceMemory> memories)
    {
        final DeviceMemory memory = owned.device(bytes);
        memories.add(memory);
        return memory;
    }

    /** Hands weights to a target, tensor by tensor, in the order in which memory for them was taken. */
    void refill(final WeightTarget from, final ModelWeights weights)
    {
        reading(() -> new DecoderWeights(null, List.of(), from, weights, family));
    }

    private static <T> T reading(final Supplier<T> load)
    {
        try
        {
            return load.get();
        }
        // The virtual machine answers a read behind the end of a mapped file with this error, at the read or soon after it.
        catch (final InternalError e)
        {
            throw new ModelException("a file of the checkpoint has become shorter while it was read",
                "leave it alone and start again");
        }
    }

    /** Bytes that the weights take on a device. */
    static long bytes(final ModelWeights weights, final KernelFamily family)
    {
        final CountedBytes counted = new CountedBytes();
        new DecoderWeights(null, List.of(), new WeightRoom(counted::add), weights, family);
        return counted.bytes();
    }

    /**
     * Checks that new weights of the same plan can take the memory of the first weights, and the launches that read it.
     *
     * @throws ConfigException if a device would hold a matrix in another type or layout.
     */
    public static void requireSameForms(final ModelWeights first, final ModelWeights next, final KernelFamily family)
    {
        final List<Form> held = forms(first, family);
        final List<Form> wanted = forms(next, family);
        for (int i = 0; i < held.size(); i++)
        {
            if (!wanted.get(i).isLike(held.get(i)))
            {
                throw new ConfigException("a device would hold the matrix " + wanted.get(i).matrix() +
                    " of the new weights as " + wanted.get(i) + ", but it holds that of the first weights as " +
                    held.get(i) +
                    "; give a checkpoint with the number formats and the block sizes of the first weights.");
            }
        }
    }

    private static List<Form> forms(final ModelWeights weights, final KernelFamily family)
    {
        return new DecoderWeights(null, List.of(), new WeightRoom(bytes -> null), weights, family).forms;
    }

    /** Memory of all tensors, in their order. */
    List<DeviceMemory> memories()
    {
        return memories;
    }

    private DeviceMatrix matrix(final WeightMatrix weights, final float[] bias)
    {
        return matrices(List.of(weights), layout(List.of(weights)), bias);
    }

    /** The layout in which the kernels read these matrices; {@code null}: unpacked. */
    private PackedLayout layout(final List<WeightMatrix> matrices)
    {
        final PackedWeights first = matrices.get(0).packed();
        final boolean packed = family == KernelFamily.EXACT && first != null && matrices.stream().allMatch(
            matrix -> matrix.packed() != null && matrix.packed().layout().equals(first.layout()));
        return packed ? first.layout() : null;
    }

    /** @param bias for each row of each matrix; {@code null}: none. */
    private DeviceMatrix matrices(final List<WeightMatrix> matrices, final PackedLayout layout, final float[] bias)
    {
        final WeightMatrix first = matrices.get(0);
        forms.add(new Form(first.name(), first.type(), layout));
        final DeviceMemory weights = layout == null ? target.matrices(matrices) : target.codes(matrices);
        return new DeviceMatrix(weights, first.rows(), first.columns(), first.type(), layout,
            layout == null ? null : target.scales(matrices), target.vector(bias));
    }

    private Attention attention(final AttentionWeights weights)
    {
        final AttentionWeights.Biases biases = weights.biases();
        return new Attention(matrix(weights.query(), biases == null ? null : biases.query()),
            matrix(weights.key(), biases == null ? null : biases.key()),
            matrix(weights.value(), biases == null ? null : biases.value()),
            matrix(weights.output(), biases == null ? null : biases.output()), target.vector(weights.queryNorm()),
            target.vector(weights.keyNorm()), target.vector(weights.sinks()));
    }

    /** Of a dense layer or the shared experts, which have no biases. */
    private Mlp mlp(final FeedForward weights)
    {
        return weights == null ? null :
            new Mlp(matrix(weights.gate(), null), matrix(weights.up(), null), matrix(weights.down(), null));
    }

    private Experts experts(final MoeWeights weights)
    {
        if (weights == null)
        {
            return null;
        }
        requireOneType(weights.experts());
        final List<WeightMatrix> gates = each(weights, FeedForward::gate);
        final List<WeightMatrix> others = each(weights, FeedForward::up);
        final List<WeightMatrix> downs = each(weights, FeedForward::down);
        final PackedLayout pairs = layout(Stream.concat(gates.stream(), others.stream()).toList());
        final DeviceExperts experts =
            new DeviceExperts(matrices(gates, pairs, biases(weights, FeedForward.Biases::gate)),
                matrices(others, pairs, biases(weights, FeedForward.Biases::up)),
                matrices(downs, layout(downs), biases(weights, FeedForward.Biases::down)));
        return new Experts(matrix(weights.router(), weights.routerBias()), target.vector(weights.bias()), experts,
            mlp(weights.shared()));
    }

    /** A kernel computes all experts of a layer. */
    private static void requireOneType(final List<FeedForward> experts)
    {
        final WeightMatrix first = experts.get(0).gate();
        experts.stream().flatMap(FeedForward::matrices).filter(matrix -> matrix.type() != first.type()).findFirst()
            .ifPresent(other ->
            {
                throw new ModelException("the CUDA backend needs all experts of a layer in one type, and " + first.name() +
                    " is loaded as " + first.type() + ", but " + other.name() + " as " + other.type(),
                    "choose precision=BF16, which rounds them to one type, or --backend cpu");
            });
    }

    /** One expert's after the other's; {@code null}: none. */
    private static float[] biases(final MoeWeights weights, final Function<FeedForward.Biases, float[]> part)
    {
        if (weights.experts().get(0).biases() == null)
        {
            return null;
        }
        final FloatBuffer all = FloatBuffer.allocate(
            weights.experts().size() * part.apply(weights.experts().get(0).biases()).length);
        weights.experts().forEach(expert -> all.put(part.apply(expert.biases())));
        return all.array();
    }

    private static List<WeightMatrix> each(final MoeWeights weights, final Function<FeedForward, WeightMatrix> part)
    {
        return weights.experts().stream().map(part).toList();
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
