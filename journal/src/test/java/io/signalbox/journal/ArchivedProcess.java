// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Starts a program many times in JVMs that map its classes from an archive: they do the same as others, but load and verify
 * no class file. An archive takes classes from jars only, so directories of the class path are packed.
 */
final class ArchivedProcess
{
    private final Class<?> main;
    private final Path errors;
    private final String classPath;
    private final Path archive;

    /**
     * @param directory receives the archive, the jars and the standard error of the processes.
     * @param trial     arguments of a run that ends by itself and loads the classes; it is made twice.
     */
    ArchivedProcess(final Path directory, final Class<?> main, final String... trial)
        throws IOException, InterruptedException
    {
        this.main = main;
        errors = directory.resolve("errors");
        archive = directory.resolve("classes.jsa");
        final List<String> jars = new ArrayList<>();
        for (final String entry : System.getProperty("java.class.path").split(File.pathSeparator))
        {
            final Path path = Path.of(entry);
            jars.add(Files.isDirectory(path) ? pack(path, directory.resolve("classes-" + jars.size() + ".jar")) : entry);
        }
        classPath = String.join(File.pathSeparator, jars);
        // The second run also finds what the first one left.
        assertEquals(0, end(start(List.of(), trial)), this::errors);
        assertEquals(0, end(start(List.of("-XX:ArchiveClassesAtExit=" + archive), trial)), this::errors);
    }

    private static int end(final Process process) throws IOException, InterruptedException
    {
        process.getInputStream().transferTo(OutputStream.nullOutputStream());
        return process.waitFor();
    }

    private static String pack(final Path classes, final Path jar) throws IOException
    {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar)); Stream<Path> files = Files.walk(classes))
        {
            out.setLevel(0);
            for (final Path file : files.filter(Files::isRegularFile).sorted().toList())
            {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
        return jar.toString();
    }

    Process start(final String... arguments) throws IOException
    {
        return start(Files.exists(archive) ? List.of("-XX:SharedArchiveFile=" + archive) : List.of(), arguments);
    }

    private Process start(final List<String> archiving, final String... arguments) throws IOException
    {
        final List<String> flags = new ArrayList<>(JavaProcess.flags());
        flags.addAll(archiving);
        flags.add("-XX:-UsePerfData");
        final ProcessBuilder process = new ProcessBuilder(JavaProcess.command(flags, classPath, main, arguments));
        return process.redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile())).start();
    }

    /** The standard error of all processes. */
    String errors()
    {
        try
        {
            return Files.exists(errors) ? Files.readString(errors) : "";
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
