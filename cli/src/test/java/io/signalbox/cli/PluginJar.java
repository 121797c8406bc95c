// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.ConfigException;
import io.signalbox.event.StepView;
import io.signalbox.router.DpRouter;
import io.signalbox.serving.BackendProvider;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Compiles sources outside of this build against the classes that it runs with, and packs jars. */
final class PluginJar
{
    static final String SERVICE = "META-INF/services/io.signalbox.router.DpRouterProvider";
    static final String BACKENDS = "META-INF/services/io.signalbox.serving.BackendProvider";

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    private static final StandardJavaFileManager FILES = files();

    private PluginJar()
    {
    }

    private static StandardJavaFileManager files()
    {
        final StandardJavaFileManager files = COMPILER.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        setLocation(files, StandardLocation.CLASS_PATH,
            Stream.of(DpRouter.class, StepView.class, ConfigException.class, BackendProvider.class)
                .map(PluginJar::location).toList());
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

    /** Compiles the sources of a plug-in into the directory; the open class path serves every compilation. */
    private static synchronized void compile(final Path classes, final List<Path> sources) throws IOException
    {
        final StringWriter messages = new StringWriter();
        setLocation(FILES, StandardLocation.CLASS_OUTPUT, List.of(Files.createDirectories(classes)));
        assertTrue(COMPILER.getTask(messages, FILES, null, List.of("-proc:none", "-Xlint:none"), null,
            FILES.getJavaFileObjectsFromPaths(sources)).call(), messages::toString);
    }

    private static Path location(final Class<?> type)
    {
        try
        {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        }
        catch (final URISyntaxException e)
        {
            throw new AssertionError(e);
        }
    }

    /** Packs everything under the directories. */
    static Path pack(final Path jar, final Path... directories) throws IOException
    {
        try (OutputStream stream = Files.newOutputStream(jar); JarOutputStream out = new JarOutputStream(stream))
        {
            for (final Path directory : directories)
            {
                for (final Path file : files(directory))
                {
                    out.putNextEntry(new JarEntry(directory.relativize(file).toString().replace(File.separatorChar, '/')));
                    Files.copy(file, out);
                }
            }
        }
        return jar;
    }

    static List<Path> files(final Path directory) throws IOException
    {
        try (Stream<Path> files = Files.walk(directory))
        {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** A jar with one router of a test: its provider's class is {@code Bad$Provider}. */
    static Path router(final Path directory, final String label, final String body, final String make) throws IOException
    {
        return router(directory, label, 1, body, make);
    }

    /** The same of another version. */
    static Path router(
        final Path directory, final String label, final int version, final String body, final String make) throws IOException
    {
        final Path source = Files.createDirectories(directory.resolve("source")).resolve("Bad.java");
        Files.writeString(source, """
            import io.signalbox.config.*;
            import io.signalbox.router.TieRule;
            import io.signalbox.router.*;
            public final class Bad extends ScoredDpRouter
            {
                public static final class Provider extends DpRouterProvider
                {
                    public Provider() { super("%s", %d, "A bad router."); }
                    @Override public DpRouter create(final SettingValues values, final int ranks) { %s }
                }
                @Override protected double score(final PlacementBatch batch, final int request, final int rank)
                {
                    batch.candidate(request, rank, 0, 0, 0, 0);
                    return 0;
                }
                %s
            }
            """.formatted(label, version, make, body));
        final Path content = directory.resolve("content");
        compile(content, List.of(source));
        Files.createDirectories(content.resolve("META-INF/services"));
        Files.writeString(content.resolve(SERVICE), "# A comment.\nBad$Provider # another\n");
        return pack(directory.resolve(label + ".jar"), content);
    }

    /**
     * A jar with one backend of a test, which completes no step: its provider's class is {@code Bad$Provider}.
     *
     * @param capabilities calls on the builder of capabilities, such as {@code .readsTokens(true)}.
     * @param submit       statements that receive a step.
     * @param make         statements that make the backend.
     */
    static Path backend(
        final Path directory, final String label, final String capabilities, final String submit, final String make)
        throws IOException
    {
        return backend(directory, label, capabilities, submit, make, "");
    }

    /** @param members further methods of the provider. */
    static Path backend(
        final Path directory, final String label, final String capabilities, final String submit, final String make,
        final String members)
        throws IOException
    {
        final Path source = Files.createDirectories(directory.resolve("source")).resolve("Bad.java");
        Files.writeString(source, """
            import io.signalbox.backend.*;
            import io.signalbox.config.*;
            import io.signalbox.event.StepView;
            import io.signalbox.experts.ModelShape;
            import io.signalbox.model.ModelWeights;
            import io.signalbox.serving.BackendProvider;
            import java.util.function.LongSupplier;
            public final class Bad implements Backend
            {
                public static final class Provider extends BackendProvider
                {
                    public Provider() { super("%s", "A bad backend."); }
                    @Override public Backend create(ModelWeights weights, SettingValues values, LongSupplier clock) { %s }
                    %s
                }
                @Override public BackendCapabilities capabilities()
                {
                    return BackendCapabilities.named("bad")%s.build();
                }
                @Override public void start(int ranks, ModelShape shape, CompletionSink completions) { }
                @Override public void submit(StepView step) { %s }
                @Override public void abort(int rank, long step) { }
                @Override public void close() { }
            }
            """.formatted(label, make, members, capabilities, submit));
        final Path content = directory.resolve("content");
        compile(content, List.of(source));
        Files.createDirectories(content.resolve("META-INF/services"));
        Files.writeString(content.resolve(BACKENDS), "Bad$Provider\n");
        return pack(directory.resolve(label + ".jar"), content);
    }

    /** A jar with one tokenizer of a test: a token per character. Its provider's class is {@code Letters}. */
    static Path tokenizer(final Path directory, final String open, final String encode) throws IOException
    {
        return tokenizer(directory, open, encode, "");
    }

    /** @param close statements that close it. */
    static Path tokenizer(final Path directory, final String open, final String encode, final String close)
        throws IOException
    {
        final Path source = Files.createDirectories(directory.resolve("source")).resolve("Letters.java");
        Files.writeString(source, """
            import io.signalbox.serving.*;
            import java.nio.file.Path;
            public final class Letters implements TokenizerProvider
            {
                @Override public TextTokenizer open(final Path file, final int vocabulary) { %s }
                private static final class Tokenizer implements TextTokenizer
                {
                    @Override public int[] encode(final String text) { %s }
                    @Override public String decode(final int[] tokens)
                    {
                        return new String(tokens, 0, tokens.length);
                    }
                    @Override public void close() { %s }
                }
            }
            """.formatted(open, encode, close));
        final Path content = directory.resolve("content");
        compile(content, List.of(source));
        Files.createDirectories(content.resolve("META-INF/services"));
        Files.writeString(content.resolve("META-INF/services/io.signalbox.serving.TokenizerProvider"), "Letters\n");
        return pack(directory.resolve("letters.jar"), content);
    }
}
