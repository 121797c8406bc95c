// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.weights;

import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.files.FileFault;
import io.signalbox.model.Checkpoint;
import io.signalbox.serving.ModelBackend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The directory below which clients may name checkpoints whose weights replace those of a running backend. A name that leads
 * out of it, by {@code ..} or by a link, is refused. Thread-safe.
 */
public final class WeightsRoot
{
    private static final int MAX_NAME = 256;

    private final Path root;
    /** {@code null}: the backend needs no files. */
    private final ModelBackend backend;

    private WeightsRoot(final Path root, final ModelBackend backend)
    {
        this.root = root;
        this.backend = backend;
    }

    /**
     * Checkpoints for a backend that computes them.
     *
     * @throws ConfigException if the directory cannot be read.
     */
    public static WeightsRoot of(final Path directory, final ModelBackend backend)
    {
        return new WeightsRoot(real(directory), backend);
    }

    /**
     * Names alone, for a backend that accepts any version of its weights: a simulated one. A name must be a directory too.
     *
     * @throws ConfigException if the directory cannot be read.
     */
    public static WeightsRoot ofNames(final Path directory)
    {
        return new WeightsRoot(real(directory), null);
    }

    private static Path real(final Path directory)
    {
        if (!Files.isDirectory(directory))
        {
            throw new ConfigException(directory + " is not a directory; give the directory that has the checkpoints.");
        }
        try
        {
            return directory.toRealPath();
        }
        catch (final IOException e)
        {
            throw new ConfigException(directory + " cannot be read (" + FileFault.reason(e) + "); allow it to be read.");
        }
    }

    /**
     * The backend for an engine that may continue a run: if the weights of the run were replaced, it loads the checkpoint
     * again that the journal names.
     */
    public Backend backend()
    {
        return new RootedBackend(backend, this);
    }

    /**
     * Loads a checkpoint in the calling thread, for a later switch.
     *
     * @param name of its directory below the root, or the whole path of it.
     * @return the version, for {@code SignalboxEngine.newWeights}.
     * @throws ConfigException if there is none, or the backend cannot compute it.
     */
    public String prepare(final String name)
    {
        final Path directory = directory(name);
        final String known = root.relativize(directory).toString();
        if (backend == null)
        {
            return known;
        }
        return backend.prepareWeights(known, Checkpoint.open(directory).weights());
    }

    /** The checkpoint's directory, without links. The messages do not tell what exists outside of the root. */
    private Path directory(final String name)
    {
        try
        {
            final Path given = Path.of(name);
            final boolean isClean = !name.isEmpty() && name.length() <= MAX_NAME && name.chars().noneMatch(
                each -> Character.isISOControl(each) || Character.isWhitespace(each)) && given.normalize().equals(given);
            final Path directory = root.resolve(given);
            if (!isClean || !directory.startsWith(root) || directory.equals(root) || !Files.isDirectory(directory) ||
                !directory.toRealPath().startsWith(root))
            {
                throw refused(name);
            }
            requireInside(directory.toRealPath());
            return directory.toRealPath();
        }
        catch (final InvalidPathException | IOException e)
        {
            throw refused(name);
        }
    }

    /** A file of a checkpoint may be a link too, as in the cache of Hugging Face. */
    private void requireInside(final Path directory) throws IOException
    {
        final List<Path> files;
        try (Stream<Path> list = Files.list(directory))
        {
            files = list.toList();
        }
        for (final Path file : files)
        {
            if (!file.toRealPath().startsWith(root))
            {
                throw new ConfigException("the checkpoint has " + file.getFileName() + ", which is a link out of the " +
                    "directory of checkpoints; copy the file there.");
            }
        }
    }

    @Override
    public String toString()
    {
        return "checkpoints below " + root;
    }

    private static ConfigException refused(final String name)
    {
        return new ConfigException("'" + (name.length() > MAX_NAME ? name.substring(0, MAX_NAME) + "..." : name)
            .replaceAll("\\p{Cntrl}", "?") + "' is not a checkpoint below the server's directory of checkpoints; give the " +
            "name of a checkpoint below it, such as step-200.");
    }
}
