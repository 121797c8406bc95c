// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The safetensors files of a directory: one file, or shards that an index names. A name may not leave the directory, not by
 * a path and not by a link; the only exception are the links of Hugging Face's cache, from {@code snapshots/REVISION} to
 * {@code blobs} beside it.
 */
final class CheckpointFiles
{
    static final String CONFIG = "config.json";
    private static final String GENERATION = "generation_config.json";
    static final String SINGLE = "model.safetensors";
    static final String INDEX = "model.safetensors.index.json";
    private static final int MAX_INDEX_BYTES = 1 << 26;
    private static final Pattern SHARD = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,200}\\.safetensors");
    static final String ONE_INDEX = "copy " + INDEX + " and all files that it names from one checkpoint";
    private static final String REMEDY = "give a complete copy of the checkpoint's directory";

    private final Path directory;
    private final Path real;

    CheckpointFiles(final Path directory)
    {
        this.directory = directory;
        if (directory.toString().isEmpty())
        {
            throw new ModelException("the directory of the model has an empty name", "give one with config.json");
        }
        if (!Files.isDirectory(directory))
        {
            throw new ModelException("the model " + directory + " is not a directory",
                "give a directory with config.json and safetensors files");
        }
        try
        {
            real = directory.toRealPath();
        }
        catch (final IOException e)
        {
            throw ModelJson.unreadable(directory, e);
        }
    }

    Path config()
    {
        if (!has(CONFIG))
        {
            throw DirectoryAdvice.withoutConfig(directory);
        }
        return inside(CONFIG);
    }

    /** {@code null}: there is none. */
    Path generation()
    {
        return has(GENERATION) ? inside(GENERATION) : null;
    }

    private boolean has(final String name)
    {
        return Files.exists(directory.resolve(name), LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Per tensor the file that should have it; {@code null}: there is one file and no index. If there is an index, no file
     * is read that it does not name, such as one of an earlier save.
     */
    Map<String, String> index()
    {
        if (!has(INDEX))
        {
            DirectoryAdvice.requireSingle(directory, has(SINGLE));
            return null;
        }
        final Path index = inside(INDEX);
        final Map<String, String> files = new LinkedHashMap<>();
        try (InputStream source = Files.newInputStream(index))
        {
            if (Files.size(index) > MAX_INDEX_BYTES)
            {
                throw new ModelException(index + " has " + Files.size(index) + " bytes, above " + MAX_INDEX_BYTES, REMEDY);
            }
            ModelJson.object(index.toString(), REMEDY, source, parser -> readIndex(index, parser, files));
        }
        catch (final IOException e)
        {
            throw ModelJson.unreadable(index, e);
        }
        if (files.isEmpty())
        {
            throw new ModelException(index + " has no 'weight_map' with tensors", REMEDY);
        }
        return files;
    }

    private void readIndex(final Path index, final JsonParser parser, final Map<String, String> files) throws IOException
    {
        while (parser.nextToken() == JsonToken.FIELD_NAME)
        {
            final boolean map = parser.currentName().equals("weight_map");
            if (parser.nextToken() == JsonToken.START_OBJECT && map)
            {
                readMap(index, parser, files);
            }
            else
            {
                parser.skipChildren();
            }
        }
    }

    private static void readMap(final Path index, final JsonParser parser, final Map<String, String> files)
        throws IOException
    {
        final Map<String, String> names = new TreeMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME)
        {
            final String tensor = parser.currentName();
            final String file = parser.nextToken() == JsonToken.VALUE_STRING ? parser.getText() : "";
            if (!SHARD.matcher(file).matches())
            {
                throw new ModelException(index + " names for the tensor '" + ModelJson.printable(tensor) + "' the file '" +
                    ModelJson.printable(file) + "', which is no plain name of a safetensors file", REMEDY);
            }
            if (files.size() == SafetensorsHeader.MAX_TENSORS)
            {
                throw new ModelException(index + " names more than " + SafetensorsHeader.MAX_TENSORS + " tensors", REMEDY);
            }
            files.put(tensor, names.computeIfAbsent(file, name -> name));
        }
    }

    Path single()
    {
        return inside(SINGLE);
    }

    /** A file that the index names. */
    Path shard(final String name)
    {
        if (!has(name))
        {
            throw new ModelException(directory + " has no file " + name + ", which " + INDEX + " names",
                has(SINGLE) ? "download the file, or remove the index if " + SINGLE + " is the whole model" :
                    "download the file");
        }
        return inside(name);
    }

    /** A regular file of the directory. */
    Path inside(final String name)
    {
        final Path file = directory.resolve(name);
        if (!Files.isRegularFile(file))
        {
            throw notAFile(file, name);
        }
        try
        {
            final Path target = file.toRealPath();
            if (!target.startsWith(real) && !isCacheBlob(target))
            {
                throw new ModelException(file + " is a link that leaves the directory, to " + target,
                    "put the file itself into the directory");
            }
            return file;
        }
        catch (final IOException e)
        {
            throw ModelJson.unreadable(file, e);
        }
    }

    private ModelException notAFile(final Path file, final String name)
    {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS))
        {
            return new ModelException(directory + " has no file " + name, REMEDY);
        }
        return new ModelException(file + (Files.exists(file) ? " is not a regular file" : " is a link to nothing"), REMEDY);
    }

    private boolean isCacheBlob(final Path target)
    {
        final Path snapshots = real.getParent();
        return snapshots != null && snapshots.endsWith("snapshots") &&
            target.getParent().equals(snapshots.resolveSibling("blobs"));
    }
}
