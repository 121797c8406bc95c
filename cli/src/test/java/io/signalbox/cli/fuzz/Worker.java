// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs commands in another process with a heap and a time bound. A process that hangs or dies is replaced, and so is one
 * that has run {@value #CASES_PER_PROCESS} commands.
 */
final class Worker implements Target, AutoCloseable
{
    private static final int CASES_PER_PROCESS = 2_000;
    private static final int MAX_DUMP_LINES = 14;

    private final Path home;
    private final Class<? extends CommandUnderTest> command;
    private final List<String> jvmOptions;
    private final long caseMillis;
    private final Map<String, String> environment;
    private final ExecutorService reader = Executors.newCachedThreadPool(task ->
    {
        final Thread thread = new Thread(task, "fuzz-reader");
        thread.setDaemon(true);
        return thread;
    });
    private Process process;
    private Path log;
    private SocketChannel channel;
    private DataInputStream in;
    private DataOutputStream out;
    private int cases;
    private int processes;
    private int strayFrom;

    /**
     * @param home        an existing directory for the working directory, the socket and the log.
     * @param caseMillis  after which a command counts as hanging.
     * @param environment variables that the process gets beside its parent's.
     */
    Worker(
        final Path home,
        final Class<? extends CommandUnderTest> command,
        final List<String> jvmOptions,
        final long caseMillis,
        final Map<String, String> environment)
    {
        this.home = home;
        this.command = command;
        this.jvmOptions = List.copyOf(jvmOptions);
        this.caseMillis = caseMillis;
        this.environment = Map.copyOf(environment);
    }

    /** The working directory of the commands. */
    Path workingDirectory()
    {
        return home.resolve("cwd");
    }

    int processes()
    {
        return processes;
    }

    @Override
    public Outcome run(final List<String> arguments)
    {
        try
        {
            if (process == null || cases == CASES_PER_PROCESS)
            {
                close();
                start();
            }
            cases++;
            return exchange(arguments);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private Outcome exchange(final List<String> arguments) throws IOException
    {
        final long start = System.nanoTime();
        final Future<Outcome> answer = reader.submit(() -> ask(arguments, start));
        try
        {
            return answer.get(caseMillis, TimeUnit.MILLISECONDS);
        }
        catch (final TimeoutException e)
        {
            final String place = threadDump();
            final String stray = stray();
            close();
            return new Outcome(
                Outcome.End.TIMED_OUT, -1, "", "", stray.isEmpty() ? "" : "(dump)", 0, System.nanoTime() - start, place);
        }
        catch (final ExecutionException e)
        {
            final Process ended = process;
            final String stray = stray();
            close();
            return new Outcome(Outcome.End.DIED, -1, "", "", stray, 0, System.nanoTime() - start,
                "the process ended with " + ended.exitValue());
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the fuzzer was interrupted", e);
        }
    }

    private Outcome ask(final List<String> arguments, final long start) throws IOException
    {
        Wire.writeArguments(out, arguments);
        final int exitCode = in.readInt();
        final long allocated = in.readLong();
        final String result = new String(Wire.read(in), StandardCharsets.UTF_8);
        final String messages = new String(Wire.read(in), StandardCharsets.UTF_8);
        return new Outcome(Outcome.End.RETURNED, exitCode, result, messages, stray(), allocated,
            System.nanoTime() - start, "");
    }

    private void start() throws IOException
    {
        processes++;
        cases = 0;
        strayFrom = 0;
        Files.createDirectories(workingDirectory());
        final Path socket = home.resolve("s" + processes);
        log = home.resolve("log" + processes);
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX))
        {
            server.bind(UnixDomainSocketAddress.of(socket));
            final List<String> line = new ArrayList<>();
            line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            line.addAll(jvmFlags());
            line.addAll(jvmOptions);
            line.addAll(List.of("-cp", System.getProperty("java.class.path"), WorkerMain.class.getName()));
            line.addAll(List.of(socket.toString(), command.getName()));
            final ProcessBuilder builder = new ProcessBuilder(line).directory(workingDirectory().toFile())
                .redirectErrorStream(true).redirectOutput(log.toFile());
            builder.environment().putAll(environment);
            process = builder.start();
            channel = accept(server);
        }
        in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel)));
        out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel)));
    }

    private SocketChannel accept(final ServerSocketChannel server) throws IOException
    {
        server.configureBlocking(false);
        SocketChannel accepted = server.accept();
        while (accepted == null)
        {
            try
            {
                if (process.waitFor(5, TimeUnit.MILLISECONDS))
                {
                    throw new IllegalStateException("the worker did not start: " + Files.readString(log));
                }
            }
            catch (final InterruptedException e)
            {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("the fuzzer was interrupted", e);
            }
            accepted = server.accept();
        }
        return accepted;
    }

    /** The files of flags are named relative to the module; the worker has another working directory. */
    static List<String> jvmFlags()
    {
        return Arrays.stream(System.getProperty("signalbox.jvm.flags").trim().split("\\s+"))
            .map(flag -> flag.startsWith("@") ? "@" + Path.of(flag.substring(1)).toAbsolutePath().normalize() : flag)
            .toList();
    }

    /** The output of the process since the last case. */
    private String stray() throws IOException
    {
        if (Files.size(log) == strayFrom)
        {
            return "";
        }
        final byte[] all = Files.readAllBytes(log);
        final String text = new String(all, strayFrom, all.length - strayFrom, StandardCharsets.UTF_8);
        strayFrom = all.length;
        return text;
    }

    /** The stack of the command's thread: the JVM prints its threads on SIGQUIT. */
    private String threadDump() throws IOException
    {
        final int before = (int)Files.size(log);
        try
        {
            new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid())).start().waitFor();
            String dump = "";
            for (int i = 0; i < 100 && !dump.contains("JNI global refs"); i++)
            {
                process.waitFor(20, TimeUnit.MILLISECONDS);
                final byte[] all = Files.readAllBytes(log);
                dump = new String(all, before, all.length - before, StandardCharsets.UTF_8);
            }
            final int main = dump.indexOf("\"main\"");
            return main < 0 ? "the process answers nothing" : dump.substring(main).lines().limit(MAX_DUMP_LINES)
                .map(String::strip).reduce("", (first, second) -> first + "\n    " + second);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    @Override
    public void close()
    {
        if (process == null)
        {
            return;
        }
        try
        {
            process.toHandle().destroyForcibly();
            process.waitFor();
            channel.close();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
        process = null;
    }
}
