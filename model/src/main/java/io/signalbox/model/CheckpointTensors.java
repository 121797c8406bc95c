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
    private static final String POSITIONS = ".rotary_emb.inv_freq";
    private static final String PREDICTION = "mtp.";

    private final Path directory;
    private final WeightType type;
    private final int layers;
    private final int predictionLayers;
    private final LoadProgress progress;
    private final Map<String, StoredTensor> tensors = new HashMap<>();
    private final Map<String, MappedShard> shards = new HashMap<>();
    private final Set<String> used = new HashSet<>();

    /** @param predictionLayers layers after those of the plan that it is computed without. */
    CheckpointTensors(
        final Path directory, final DecoderPlan plan, final int predictionLayers, final LoadProgress progress)
    {
        this.progress = progress;
        this.directory = directory;
        this.predictionLayers = predictionLayers;
        type = plan.type();
        layers = plan.layers();
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
        return tensors.containsKey(name);
    }

    @Override
    public WeightMatrix matrix(final String name, final int rows, final int columns)
    {
        return plain(tensor(name, rows, columns), 0, rows, columns);
    }

    @Override
    public List<MappedMatrix> matrices(final String name, final int count, final int rows, final int columns)
    {
        final StoredTensor tensor = tensor(name, count, rows, columns);
        return IntStream.range(0, count).mapToObj(index -> plain(tensor, index, rows, columns)).toList();
    }

    /** One of the matrices that lie one after the other in a tensor. */
    private MappedMatrix plain(final StoredTensor tensor, final int index, final int rows, final int columns)
    {
        final FloatFormat format = FloatFormat.of(tensor);
        final WeightType loaded = type == WeightType.F32 ? type : format.exact();
        WeightMatrix.bytes(tensor.name(), rows, columns, loaded);
        final int bytes = rows * columns * format.bytes();
        final MappedShard shard = shards.get(tensor.name());
        return new MappedMatrix(tensor.name(), rows, columns, loaded, new PlainWeights(
            columns, format, shard, shard.bytes(tensor.begin() + (long)index * bytes, bytes)), progress);
    }

    @Override
    public float[] vector(final String name, final int length)
    {
        final StoredTensor tensor = tensor(name, length);
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
        final StoredTensor tensor = tensors.get(name);
        if (tensor == null)
        {
            throw TensorAdvice.missing(
                directory, name, tensors.keySet().stream().filter(each -> !isIgnored(each)).sorted().toList());
        }
        if (FloatFormat.of(tensor) == null)
        {
            throw TensorAdvice.unreadable(directory, tensor);
        }
        if (!tensor.hasShape(shape))
        {
            throw TensorAdvice.misshapen(directory, tensor, Arrays.toString(shape));
        }
        used.add(name);
        return tensor;
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
            throw TensorAdvice.surplus(directory, surplus, layers);
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
