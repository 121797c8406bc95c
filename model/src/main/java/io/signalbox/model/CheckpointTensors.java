// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The tensors of the files of a checkpoint. Checks each that is asked for, and at the end that none is left over. */
final class CheckpointTensors implements TensorSource
{
    private static final String REMEDY = "give the checkpoint to which config.json belongs";
    private static final String[] IGNORED = {".rotary_emb.inv_freq"};

    private final Path directory;
    private final WeightType type;
    private final LoadProgress progress;
    private final Map<String, StoredTensor> tensors = new HashMap<>();
    private final Map<String, MappedShard> shards = new HashMap<>();
    private final Set<String> used = new HashSet<>();

    CheckpointTensors(final Path directory, final WeightType type, final LoadProgress progress)
    {
        this.progress = progress;
        this.directory = directory;
        this.type = type;
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
        final StoredTensor tensor = tensor(name, type, rows, columns);
        final int bytes = WeightMatrix.bytes(name, rows, columns, type);
        final MappedShard shard = shards.get(name);
        return new MappedMatrix(name, rows, columns, type, shard, shard.bytes(tensor.begin(), bytes), progress);
    }

    @Override
    public List<MappedMatrix> matrices(final String name, final int count, final int rows, final int columns)
    {
        final StoredTensor tensor = tensor(name, type, count, rows, columns);
        final int bytes = WeightMatrix.bytes(name, rows, columns, type);
        final MappedShard shard = shards.get(name);
        final List<MappedMatrix> matrices = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            matrices.add(new MappedMatrix(
                name, rows, columns, type, shard, shard.bytes(tensor.begin() + (long)i * bytes, bytes), progress));
        }
        return matrices;
    }

    @Override
    public float[] vector(final String name, final int length)
    {
        // The bias of a router is float32 in checkpoints of bfloat16 too.
        final boolean isWide = name.endsWith("bias") && tensors.containsKey(name) && tensors.get(name).type().equals("F32");
        final WeightType stored = isWide ? WeightType.F32 : type;
        final StoredTensor tensor = tensor(name, stored, length);
        final MappedShard shard = shards.get(name);
        final ByteBuffer bytes = shard.bytes(tensor.begin(), (int)tensor.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        final float[] vector = new float[length];
        shard.read(() ->
        {
            for (int i = 0; i < length; i++)
            {
                vector[i] = stored == WeightType.F32 ? bytes.getFloat() : WeightType.bf16(bytes.getShort());
            }
        });
        return vector;
    }

    private StoredTensor tensor(final String name, final WeightType wanted, final long... shape)
    {
        final StoredTensor tensor = tensors.get(name);
        if (tensor == null)
        {
            throw new ModelException(directory + " has no tensor '" + name + "'", REMEDY);
        }
        if (!tensor.type().equals(wanted.name()) || !tensor.hasShape(shape))
        {
            final String expected = new StoredTensor(name, wanted.name(), shape, 0, 0).shapeText();
            throw new ModelException(directory + " has the tensor '" + name + "' as " + tensor.shapeText() +
                ", and its config.json asks for " + expected, REMEDY);
        }
        used.add(name);
        return tensor;
    }

    /** A head beside tied embeddings must be a copy of them: it would be ignored. */
    void checkTiedHead(final WeightMatrix embedding)
    {
        final String head = "lm_head.weight";
        if (has(head) && !matrix(head, embedding.rows(), embedding.columns()).bytes().equals(embedding.bytes()))
        {
            throw new ModelException(directory + " has a tensor '" + head + "' that differs from the embedding, by which " +
                "'tie_word_embeddings' of its config.json replaces it", REMEDY);
        }
    }

    /** @throws ModelException if a tensor was not used. */
    void checkAllUsed()
    {
        final List<String> surplus = tensors.keySet().stream()
            .filter(name -> !used.contains(name) && !isIgnored(name)).sorted().toList();
        if (!surplus.isEmpty())
        {
            throw new ModelException(directory + " has " + surplus.size() + " tensors that its config.json does not ask " +
                "for, such as '" + ModelJson.printable(surplus.get(0)) + "'", REMEDY);
        }
    }

    private static boolean isIgnored(final String name)
    {
        for (final String end : IGNORED)
        {
            if (name.endsWith(end))
            {
                return true;
            }
        }
        return false;
    }
}
