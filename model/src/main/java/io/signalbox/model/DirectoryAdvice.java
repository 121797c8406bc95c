// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Explains a directory without the files of a checkpoint: by what else is in it, it tells what helps. */
final class DirectoryAdvice
{
    private static final Pattern SHARD = Pattern.compile("model-[0-9]+-of-[0-9]+\\.safetensors");
    private static final Pattern UNFINISHED = Pattern.compile(".*\\.safetensors\\.(incomplete|part|aria2|crdownload|tmp)");
    private static final Pattern ADAPTER = Pattern.compile("adapter_(model\\.(safetensors|bin)|config\\.json)");
    private static final Pattern ORIGINAL = Pattern.compile("consolidated.*\\.(safetensors|pth)|params\\.json");
    private static final Pattern GGUF = Pattern.compile(".*\\.gguf");
    private static final Pattern PICKLED = Pattern.compile(".*\\.(bin|pt|pth)(\\.index\\.json)?");

    private DirectoryAdvice()
    {
    }

    /** There is no config.json. */
    static ModelException withoutConfig(final Path directory)
    {
        final String fault = directory + " has no file " + CheckpointFiles.CONFIG;
        final List<String> revisions = names(directory.resolve("snapshots"));
        if (!revisions.isEmpty())
        {
            return new ModelException(fault, "give the directory of a revision, such as " +
                directory.resolve("snapshots").resolve(revisions.get(0)));
        }
        final List<String> names = names(directory);
        final String other = firstOf(names, ADAPTER, GGUF, ORIGINAL);
        return other == null ? new ModelException(fault, "give the directory of a checkpoint with config.json") :
            otherFormat(fault + " but " + ModelJson.printable(other), other);
    }

    /**
     * There is no index.
     *
     * @param hasSingle whether there is the one file of a checkpoint without an index.
     * @throws ModelException unless it is the only candidate.
     */
    static void requireSingle(final Path directory, final boolean hasSingle)
    {
        final List<String> names = names(directory);
        final String shard = firstOf(names, SHARD);
        if (hasSingle && shard == null)
        {
            return;
        }
        if (shard != null)
        {
            throw new ModelException(directory + " has " + shard + (hasSingle ? " and " + CheckpointFiles.SINGLE : "") +
                ", but no " + CheckpointFiles.INDEX, "download the index" +
                (hasSingle ? ", or remove the files that are not the model" : ""));
        }
        final String other = firstOf(names, UNFINISHED, ADAPTER, GGUF, ORIGINAL, PICKLED);
        final String fault = directory + " has neither " + CheckpointFiles.SINGLE + " nor " + CheckpointFiles.INDEX;
        throw other == null ? new ModelException(fault, "download the safetensors files of the checkpoint") :
            otherFormat(fault + ", but " + ModelJson.printable(other), other);
    }

    private static ModelException otherFormat(final String fault, final String name)
    {
        if (UNFINISHED.matcher(name).matches())
        {
            return new ModelException(fault, "finish the download");
        }
        if (ADAPTER.matcher(name).matches())
        {
            return new ModelException(fault, "merge the adapter into its model and save the whole model");
        }
        if (GGUF.matcher(name).matches() || ORIGINAL.matcher(name).matches())
        {
            return new ModelException(fault, "give the checkpoint in the format of transformers");
        }
        return new ModelException(fault, "save the model in the safetensors format");
    }

    private static String firstOf(final List<String> names, final Pattern... patterns)
    {
        for (final Pattern pattern : patterns)
        {
            for (final String name : names)
            {
                if (pattern.matcher(name).matches())
                {
                    return name;
                }
            }
        }
        return null;
    }

    /** Ascending; none if there is no such directory. */
    private static List<String> names(final Path directory)
    {
        if (!Files.isDirectory(directory))
        {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory))
        {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
        catch (final IOException e)
        {
            throw ModelJson.unreadable(directory, e);
        }
    }
}
