// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The tensors of the files of a checkpoint. Checks each that is asked for, and at the end that none is left over but those
 * that a model computes without: tables of positions and the layers of multi-token prediction. Weights are as
 * exact as the file: a model of bfloat16 keeps its tensors of float32 as these.
 */
final class CheckpointTensors implements TensorSource
{
    static final String HEAD = "lm_head.weight";
    static final String FP8 = "F8_E4M3";
    private static final String BYTES = "U8";
    private static final String POSITIONS = ".rotary_emb.inv_freq";
    private static final String PREDICTION = "mtp.";

    private final Path directory;
    private final WeightType type;
    private final Quantization quantization;
    private final int layers;
    private final boolean takesBiases;
    private final int predictionLayers;
    private final LoadProgress progress;
    private final Map<String, StoredTensor> tensors = new HashMap<>();
    private final Map<String, MappedShard> shards = new HashMap<>();
    private final Set<String> used = new HashSet<>();

    /** @param predictionLayers layers after those of the plan that it is computed without. */
    CheckpointTensors(
        final Path directory, final DecoderPlan plan, final Quantization quantization, final int predictionLayers,
        final LoadProgress progress)
    {
        this.quantization = quantization;
        this.progress = progress;
        this.directory = directory;
        this.predictionLayers = predictionLayers;
        type = plan.type();
        layers = plan.layers();
        takesBiases = plan.family() != ModelFamily.MIXTRAL && plan.attention().latent() == null;
    }

    /** @throws ModelException if an earlier file has a tensor of the same name. */
    void add(final MappedShard shard, final Path file, final SafetensorsHeader header)
    {
        for (final StoredTensor tensor : header.tensors().values())
        {
            if (tensors.put(tensor.name(), tensor) != null)
            {
                throw new ModelException(file + " has the tensor '" + ModelJson.printable(tensor.name()) +
                    "' a second time", "give a checkpoint in which each tensor is in one file");
            }
            shards.put(tensor.name(), shard);
        }
    }

    @Override
    public boolean has(final String name)
    {
        return tensors.containsKey(name) || isMxfp4(name);
    }

    @Override
    public WeightMatrix matrix(final String name, final int rows, final int columns)
    {
        return matrices(name, 1, rows, columns, rows, columns).get(0);
    }

    @Override
    public List<MappedMatrix> matrices(final String name, final int count, final int rows, final int columns)
    {
        return isMxfp4(name) ? mxfp4(name, count, rows, columns) :
            matrices(name, count, rows, columns, count, rows, columns);
    }

    private boolean isMxfp4(final String name)
    {
        return quantization.is(Quantization.Method.MXFP4) && tensors.containsKey(name + Quantization.BLOCKS);
    }

    private List<MappedMatrix> mxfp4(final String name, final int count, final int inputs, final int outputs)
    {
        WeightMatrix.bytes(name, inputs, outputs, type);
        final int blocks = inputs / Mxfp4Weights.BLOCK;
        if (inputs % Mxfp4Weights.BLOCK != 0)
        {
            throw TensorAdvice.misshapen(directory, stored(name + Quantization.BLOCKS),
                inputs + " inputs, which is not a multiple of the " + Mxfp4Weights.BLOCK + " inputs of a block of MXFP4");
        }
        final StoredTensor packed = bytes(name + Quantization.BLOCKS, count, outputs, blocks, Mxfp4Weights.BLOCK_BYTES);
        if (!has(name + Quantization.SCALES))
        {
            throw TensorAdvice.withoutScales(directory, packed, name + Quantization.SCALES);
        }
        final StoredTensor scales = bytes(name + Quantization.SCALES, count, outputs, blocks);
        return IntStream.range(0, count).mapToObj(index -> new MappedMatrix(name, inputs, outputs, type,
            new Mxfp4Weights(name, inputs, outputs, shards.get(packed.name()),
                bytes(packed, index, outputs, blocks, Mxfp4Weights.BLOCK_BYTES), shards.get(scales.name()),
                bytes(scales, index, outputs, blocks, 1)), progress)).toList();
    }

    private StoredTensor bytes(final String name, final long... shape)
    {
        final StoredTensor tensor = stored(name);
        if (!tensor.type().equals(BYTES) || !tensor.hasShape(shape))
        {
            throw TensorAdvice.misshapen(directory, tensor, BYTES + " " + Arrays.toString(shape));
        }
        return tensor;
    }

    /** The matrices that lie one after the other in a tensor. */
    private List<MappedMatrix> matrices(
        final String name, final int count, final int rows, final int columns, final long... shape)
    {
        if (isPackedInFp8(name))
        {
            WeightMatrix.bytes(name, rows, columns, WeightType.F32);
            final StoredTensor scales = scales(name, shape);
            return IntStream.range(0, count).mapToObj(index -> fp8(name, scales, index, rows, columns)).toList();
        }
        final StoredTensor tensor = tensor(name, shape);
        final WeightType loaded = type == WeightType.F32 ? type : FloatFormat.of(tensor).exact();
        WeightMatrix.bytes(name, rows, columns, loaded);
        return IntStream.range(0, count).mapToObj(index ->
            new MappedMatrix(name, rows, columns, loaded, plain(tensor, index, rows, columns), progress)).toList();
    }

    private PlainWeights plain(final StoredTensor tensor, final int index, final int rows, final int columns)
    {
        final FloatFormat format = FloatFormat.of(tensor);
        return new PlainWeights(
            columns, format, shards.get(tensor.name()), bytes(tensor, index, rows, columns, format.bytes()));
    }

    /** A tensor is FP8 if it has scales or the type of FP8; the type alone reveals missing scales. */
    private boolean isPackedInFp8(final String name)
    {
        return quantization.is(Quantization.Method.FP8) &&
            (has(name + Quantization.SCALE) || has(name) && isFp8(tensors.get(name)));
    }

    private static boolean isFp8(final StoredTensor tensor)
    {
        return tensor.type().equals(FP8);
    }

    /** The scales of an FP8 tensor; they may be in another file. */
    private StoredTensor scales(final String name, final long... shape)
    {
        final StoredTensor tensor = stored(name);
        if (!has(name + Quantization.SCALE) || !isFp8(tensor))
        {
            throw isFp8(tensor) ? TensorAdvice.withoutScales(directory, tensor, name + Quantization.SCALE) :
                TensorAdvice.scalesOfOther(directory, tensor, name + Quantization.SCALE);
        }
        requireShape(tensor, shape);
        return tensor(name + Quantization.SCALE, quantization.scaleShape(shape));
    }

    private MappedMatrix fp8(
        final String name, final StoredTensor scales, final int index, final int rows, final int columns)
    {
        final long[] shape = quantization.scaleShape(rows, columns);
        return new MappedMatrix(name, rows, columns, WeightType.F32, new Fp8Weights(name, columns, quantization,
            shards.get(name), bytes(stored(name), index, rows, columns, 1),
            plain(scales, index, (int)shape[0], (int)shape[1])), progress);
    }

    /** Bytes of the matrix number {@code index} of a tensor. */
    private ByteBuffer bytes(
        final StoredTensor tensor, final int index, final int rows, final int columns, final int weightBytes)
    {
        final int count = rows * columns * weightBytes;
        return shards.get(tensor.name()).bytes(tensor.begin() + (long)index * count, count);
    }

    @Override
    public float[] vector(final String name, final int... shape)
    {
        final StoredTensor tensor = tensor(name, Arrays.stream(shape).asLongStream().toArray());
        final int length = Arrays.stream(shape).reduce(1, Math::multiplyExact);
        final FloatFormat format = FloatFormat.of(tensor);
        final MappedShard shard = shards.get(name);
        final ByteBuffer bytes = shard.bytes(tensor.begin(), (int)tensor.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        final float[] vector = new float[length];
        shard.read(() ->
        {
            for (int i = 0; i < length; i++)
            {
                vector[i] = format.read(bytes, i);
            }
        });
        return vector;
    }

    private StoredTensor tensor(final String name, final long... shape)
    {
        final StoredTensor tensor = stored(name);
        if (FloatFormat.of(tensor) == null)
        {
            throw TensorAdvice.unreadable(directory, tensor);
        }
        requireShape(tensor, shape);
        return tensor;
    }

    private StoredTensor stored(final String name)
    {
        final StoredTensor tensor = tensors.get(name);
        if (tensor == null)
        {
            throw TensorAdvice.missing(directory, name,
                tensors.keySet().stream().filter(each -> !isIgnored(each)).sorted().toList(), quantization);
        }
        used.add(name);
        return tensor;
    }

    private void requireShape(final StoredTensor tensor, final long... shape)
    {
        if (!tensor.hasShape(shape))
        {
            throw TensorAdvice.misshapen(directory, tensor, Arrays.toString(shape));
        }
    }

    /** A head beside tied embeddings must be a copy of them: it would be ignored. */
    void checkTiedHead(final WeightMatrix embedding)
    {
        if (has(HEAD) && !matrix(HEAD, embedding.rows(), embedding.columns()).bytes().equals(embedding.bytes()))
        {
            throw new ModelException(directory + " has a tensor '" + HEAD + "' that differs from the embedding, by which " +
                "'tie_word_embeddings' of its config.json replaces it", "set 'tie_word_embeddings' to false in " +
                "config.json if the tensor is its head, or remove the tensor");
        }
    }

    /** @throws ModelException if a tensor was not used. */
    void checkAllUsed()
    {
        final List<String> surplus = tensors.keySet().stream()
            .filter(name -> !used.contains(name) && !isIgnored(name)).sorted().toList();
        if (!surplus.isEmpty())
        {
            throw TensorAdvice.surplus(directory, surplus, layers, takesBiases, quantization);
        }
    }

    /** Whether a model computes without the tensor. */
    boolean isIgnored(final String name)
    {
        final int layer = TensorAdvice.layer(name);
        return name.endsWith(POSITIONS) || name.startsWith(PREDICTION) ||
            layer >= layers && layer < layers + predictionLayers;
    }
}
