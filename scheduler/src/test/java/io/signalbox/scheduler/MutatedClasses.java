// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The classes of this project with one source file changed. It loads every class of the project anew, the changed ones from
 * the directory into which they were compiled.
 */
public final class MutatedClasses extends ClassLoader
{
    private static final String PROJECT = "io.signalbox.";
    private static final List<String> MODULES = List.of("scheduler", "engine", "journal", "model");
    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    private static final StandardJavaFileManager FILES = files();

    private final Path changed;

    private MutatedClasses(final Path changed)
    {
        super(MutatedClasses.class.getClassLoader());
        this.changed = changed;
    }

    /** The classes as they are. */
    public static MutatedClasses unchanged(final Path emptyDirectory)
    {
        return new MutatedClasses(emptyDirectory);
    }

    /**
     * Compiles the file with the replacements.
     *
     * @param file  below the project's package, such as {@code batch/StepCommit.java}.
     * @param edits texts that must occur exactly once, each followed by its replacement.
     */
    public static MutatedClasses of(final String file, final List<String> edits, final Path directory)
    {
        compile(file, changed(file, edits), directory);
        return new MutatedClasses(directory);
    }

    /** The text of the file with the replacements; fails if a text does not occur exactly once. */
    private static String changed(final String file, final List<String> edits)
    {
        String source = read(find(file));
        for (int i = 0; i < edits.size(); i += 2)
        {
            final int occurrences = source.split(Pattern.quote(edits.get(i)), -1).length - 1;
            assertEquals(1, occurrences, "occurrences in " + file + " of: " + edits.get(i));
            source = source.replace(edits.get(i), edits.get(i + 1));
        }
        return source;
    }

    private static Path find(final String file)
    {
        final Path root = Path.of(System.getProperty("signalbox.root"));
        return MODULES.stream().map(module -> root.resolve(Path.of(module, "src", "main", "java", "io", "signalbox", file)))
            .filter(Files::exists).findFirst().orElseThrow();
    }

    private static String read(final Path file)
    {
        try
        {
            return Files.readString(file);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private static StandardJavaFileManager files()
    {
        final StandardJavaFileManager files =
            COMPILER.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8);
        final String[] classPath = System.getProperty("java.class.path").split(File.pathSeparator);
        setLocation(files, StandardLocation.CLASS_PATH, Arrays.stream(classPath).map(Path::of).toList());
        return files;
    }

    private static void setLocation(
        final StandardJavaFileManager files, final StandardLocation location, final List<Path> paths)
    {
        try
        {
            files.setLocationFromPaths(location, paths);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** By the JDK of this process, for this process; the open jars of the class path serve every compilation. */
    private static synchronized void compile(final String file, final String source, final Path directory)
    {
        final StringWriter messages = new StringWriter();
        final var unit = new SimpleJavaFileObject(URI.create("string:///" + file), SimpleJavaFileObject.Kind.SOURCE)
        {
            @Override
            public CharSequence getCharContent(final boolean ignoreEncodingErrors)
            {
                return source;
            }
        };
        setLocation(FILES, StandardLocation.CLASS_OUTPUT, List.of(directory));
        final List<String> options = List.of("-proc:none", "-implicit:none", "-Xlint:none");
        assertTrue(COMPILER.getTask(messages, FILES, null, options, null, List.of(unit)).call(), messages::toString);
    }

    /** Calls a static method that takes a number and returns a text, in the changed project. */
    public String call(final Class<?> type, final String method, final int argument)
    {
        final Thread thread = Thread.currentThread();
        final ClassLoader former = thread.getContextClassLoader();
        thread.setContextClassLoader(this);
        try
        {
            return (String)loadClass(type.getName()).getMethod(method, int.class).invoke(null, argument);
        }
        catch (final ReflectiveOperationException e)
        {
            throw new AssertionError("the changed project does not run", e);
        }
        finally
        {
            thread.setContextClassLoader(former);
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
