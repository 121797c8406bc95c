// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.engine.EngineConfig;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import javax.tools.ToolProvider;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The classes of this project, loaded anew, with one source file of the engine changed. */
final class PlantedEngine extends ClassLoader
{
    private static final String PROJECT = "io.signalbox.";

    private final Path changed;

    /** @param edits texts of the file, each of which occurs once, followed by their replacements. */
    PlantedEngine(final String file, final List<String> edits, final Path directory) throws IOException
    {
        super(PlantedEngine.class.getClassLoader());
        changed = directory.resolve("classes");
        Files.createDirectories(changed);
        if (file != null)
        {
            compile(file, edits, directory);
        }
    }

    private void compile(final String file, final List<String> edits, final Path directory) throws IOException
    {
        final String name = EngineConfig.class.getPackageName().replace('.', '/') + "/" + file;
        String source = Files.readString(
            Path.of(System.getProperty("signalbox.root"), "scheduler", "src", "main", "java").resolve(name));
        for (int i = 0; i < edits.size(); i += 2)
        {
            final int occurrences = source.split(Pattern.quote(edits.get(i)), -1).length - 1;
            assertEquals(1, occurrences, "occurrences in " + file + " of: " + edits.get(i));
            source = source.replace(edits.get(i), edits.get(i + 1));
        }
        final Path copy = directory.resolve(file);
        Files.writeString(copy, source);
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", changed.toString(),
            "-cp", System.getProperty("java.class.path"), "-proc:none", "-nowarn", copy.toString()));
    }

    /** Runs the tests of a restart; returns the first failure, or {@code null}. */
    String firstFailure()
    {
        try
        {
            return (String)loadClass(RestartRuns.class.getName()).getMethod("firstFailure").invoke(null);
        }
        catch (final ReflectiveOperationException e)
        {
            throw new AssertionError("the changed project does not run", e);
        }
    }

    @Override
    protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException
    {
        if (!name.startsWith(PROJECT))
        {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name))
        {
            final Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(final String name) throws ClassNotFoundException
    {
        final String resource = name.replace('.', '/') + ".class";
        final Path own = changed.resolve(resource);
        try (InputStream from = Files.exists(own) ? Files.newInputStream(own) : getParent().getResourceAsStream(resource))
        {
            if (from == null)
            {
                throw new ClassNotFoundException(name);
            }
            final byte[] bytes = from.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        }
        catch (final IOException e)
        {
            throw new ClassNotFoundException(name, e);
        }
    }
}
