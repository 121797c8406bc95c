// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code signalbox serve} in another process. */
final class ServedProcess implements AutoCloseable
{
    private final Process process;
    private final BufferedReader out;
    private final List<String> lines = new ArrayList<>();

    /** Returns when it listens, or has ended. */
    ServedProcess(final Path directory, final String... options) throws IOException
    {
        this(List.of(), directory, options);
    }

    /** @param launcher words before the command line of the process. */
    ServedProcess(final List<String> launcher, final Path directory, final String... options) throws IOException
    {
        final List<String> line = new ArrayList<>(launcher);
        line.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(argument -> argument.startsWith("--add-") || argument.startsWith("-Dchronicle")).forEach(line::add);
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName(), "serve", "--port=0"));
        line.addAll(List.of(options));
        process = new ProcessBuilder(line).directory(directory.toFile()).redirectErrorStream(true).start();
        out = process.inputReader(StandardCharsets.UTF_8);
        for (String text = out.readLine(); text != null; text = out.readLine())
        {
            lines.add(text);
            if (text.startsWith("try "))
            {
                break;
            }
        }
    }

    /** What it printed until it listened, and after its end everything. */
    List<String> lines()
    {
        return lines;
    }

    String address()
    {
        return lines.stream().filter(text -> text.startsWith("listening")).findFirst().orElseThrow()
            .replaceFirst("\\S+ +", "");
    }

    long pid()
    {
        return process.pid();
    }

    HttpResponse<String> post(final String path, final String json) throws IOException, InterruptedException
    {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(address() + path))
            .POST(HttpRequest.BodyPublishers.ofString(json)).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Stops it as a service manager does, and returns its exit code. */
    int terminate() throws IOException, InterruptedException
    {
        // The process itself would close the streams that are read.
        process.toHandle().destroy();
        return end();
    }

    int kill() throws IOException, InterruptedException
    {
        process.toHandle().destroyForcibly();
        return end();
    }

    /** Waits for its end. */
    int end() throws IOException, InterruptedException
    {
        out.lines().forEach(lines::add);
        return process.waitFor();
    }

    @Override
    public void close()
    {
        process.destroyForcibly();
    }
}
