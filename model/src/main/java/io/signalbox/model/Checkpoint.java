// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * A model's directory as Hugging Face's transformers writes it: {@code config.json} and safetensors, one file or shards with
 * an index. Opening reads and checks the configuration and all headers; weights are mapped and not copied.
 */
public final class Checkpoint
{
    private final Path directory;
    private final DecoderPlan plan;
    private final ModelWeights weights;
    private long bytes;

    private Checkpoint(final Path directory, final LoadProgress progress)
    {
        this.directory = directory;
        final CheckpointFiles files = new CheckpointFiles(directory);
        final ConfigReader config = new ConfigReader(files.config());
        plan = config.plan();
        final CheckpointTensors tensors =
            new CheckpointTensors(directory, plan, config.quantization(), config.predictionLayers(), progress);
        final Map<String, String> index = files.index();
        if (index == null)
        {
            add(files.single(), tensors, Map.of());
        }
        else
        {
            addShards(files, tensors, index);
        }
        weights = new ModelAssembly(plan, tensors).weights();
        if (plan.tiedEmbeddings())
        {
            tensors.checkTiedHead(weights.embedding());
        }
        tensors.checkAllUsed();
    }

    /**
     * Reads the configuration and all headers, checks that every tensor is there, and maps the files.
     *
     * @throws ModelException if anything of it is damaged, missing, left over or not supported.
     */
    public static Checkpoint open(final Path directory)
    {
        return open(directory, LoadProgress.NONE);
    }

    /** @param progress receives which weights a backend has copied. */
    public static Checkpoint open(final Path directory, final LoadProgress progress)
    {
        return new Checkpoint(directory, progress);
    }

    /**
     * The tokens with which the model of a directory ends a text: any of {@code eos_token_id} of generation_config.json, or
     * of config.json if that file is absent or does not say.
     *
     * @throws ModelException if a file cannot be read.
     */
    public static int[] endTokens(final Path directory)
    {
        final CheckpointFiles files = new CheckpointFiles(directory);
        return new ConfigReader(files.config()).endTokens(files.generation());
    }

    private void addShards(final CheckpointFiles files, final CheckpointTensors tensors, final Map<String, String> index)
    {
        final List<Path> shards = new TreeSet<>(index.values()).stream().map(files::shard).toList();
        shards.forEach(shard -> add(shard, tensors, index));
        for (final Map.Entry<String, String> entry : index.entrySet())
        {
            if (!tensors.has(entry.getKey()))
            {
                throw new ModelException(directory.resolve(entry.getValue()) + " lacks the tensor '" +
                    ModelJson.printable(entry.getKey()) + "' that the index says it has",
                    CheckpointFiles.ONE_INDEX);
            }
        }
    }

    private void add(final Path file, final CheckpointTensors tensors, final Map<String, String> index)
    {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ))
        {
            final SafetensorsHeader header = new SafetensorsHeader(file, channel);
            for (final String name : header.tensors().keySet())
            {
                final String named = index.get(name);
                if (!index.isEmpty() && !file.getFileName().toString().equals(named) && !tensors.isIgnored(name))
                {
                    throw new ModelException(file + " has the tensor '" + ModelJson.printable(name) +
                        "', which the index " + (named == null ? "does not name" : "says is in " + named),
                        CheckpointFiles.ONE_INDEX);
                }
            }
            tensors.add(new MappedShard(file, channel.size()), file, header);
            bytes += channel.size();
        }
        catch (final IOException e)
        {
            throw ModelJson.unreadable(file, e);
        }
    }

    public DecoderPlan plan()
    {
        return plan;
    }

    /** Bytes of its safetensors files. */
    public long bytes()
    {
        return bytes;
    }

    /** Views of the mapped files. Nobody may shorten the files while they are in use. */
    public ModelWeights weights()
    {
        return weights;
    }

    @Override
    public String toString()
    {
        return "checkpoint " + directory + " of " + plan;
    }
}
