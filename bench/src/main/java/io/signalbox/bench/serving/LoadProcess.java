// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.serving;

import io.signalbox.Quantiles;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/**
 * The clients, in a process of their own: it reads commands, one a line, and prints the numbers that each results in. The
 * same class starts it and asks it.
 */
final class LoadProcess implements AutoCloseable
{
    private static final String BODY = "{\"prompt\": [1, 2, 3, 4, 5, 6, 7, 8], \"stream\": true, \"max_tokens\": %d}";

    private static final HeldStreams HELD = new HeldStreams();

    private final Process process;
    private final PrintWriter commands;
    private final BufferedReader answers;

    private LoadProcess(final Process process)
    {
        this.process = process;
        commands = new PrintWriter(process.getOutputStream(), true, StandardCharsets.US_ASCII);
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
    }

    /** Starts it with this process's Java and class path. */
    static LoadProcess start() throws IOException
    {
        return new LoadProcess(new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
            System.getProperty("java.class.path"), LoadProcess.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    /** Has it send requests one after the other. @return microseconds of the percentiles 50 and 99. */
    double[] alone(final int port, final int requests) throws IOException
    {
        return ask("alone", port, requests);
    }

    /** Has clients send requests as fast as each is answered. @return requests per second. */
    double perSecond(final int port, final int clients, final int requests) throws IOException
    {
        return ask("most", port, clients, requests)[0];
    }

    /** Has requests arrive at a rate. @return microseconds of the percentiles 50 and 99. */
    double[] paced(final int port, final int clients, final int requests, final double perSecond) throws IOException
    {
        return ask("paced", port, clients, requests, (long)perSecond);
    }

    /** @return tokens per second of all streams together. */
    double streamed(final int port, final int streams, final int tokens) throws IOException
    {
        return ask("streams", port, streams, tokens)[0];
    }

    /** Opens streams and reads the first tokens of each. @return how many have begun. */
    int hold(final int port, final int streams, final int tokens) throws IOException
    {
        return (int)ask("hold", port, streams, tokens)[0];
    }

    /** Reads the streams that are held to their ends. @return how many came whole. */
    int whole() throws IOException
    {
        return (int)ask("whole", 0)[0];
    }

    private double[] ask(final String command, final long... arguments) throws IOException
    {
        commands.println(command + " " + Arrays.stream(arguments).mapToObj(Long::toString).collect(Collectors.joining(" ")));
        final String answer = answers.readLine();
        if (answer == null)
        {
            throw new IOException("the process of the clients ended");
        }
        return Arrays.stream(answer.split(" ")).mapToDouble(Double::parseDouble).toArray();
    }

    @Override
    public void close()
    {
        process.destroy();
    }

    /** The process itself. It ends with its input. */
    public static void main(final String[] arguments) throws Exception
    {
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine())
        {
            final String[] words = line.split(" ");
            final int[] numbers = Arrays.stream(words).skip(1).mapToInt(Integer::parseInt).toArray();
            System.out.println(Arrays.stream(answer(words[0], numbers)).mapToObj(Double::toString)
                .collect(Collectors.joining(" ")));
        }
    }

    private static double[] answer(final String command, final int[] numbers) throws Exception
    {
        final int port = numbers[0];
        return switch (command)
        {
            case "alone" -> percentiles(alone(new Sender(port), numbers[1]));
            case "most" -> new double[] {new PacedLoad(() -> new Sender(port), numbers[1]).perSecond(numbers[2])};
            case "paced" -> percentiles(new PacedLoad(() -> new Sender(port), numbers[1]).micros(numbers[2], numbers[3], 1));
            case "hold" -> new double[] {HELD.open(port, numbers[1], request(numbers[2]))};
            case "whole" -> new double[] {HELD.whole()};
            case "streams" -> new double[] {rate(port, numbers[1], numbers[2])};
            default -> throw new IllegalArgumentException("there is no command '" + command + "'");
        };
    }

    static double[] percentiles(final double[] micros)
    {
        return new double[] {Quantiles.of(micros, 50), Quantiles.of(micros, 99)};
    }

    /** Microseconds to the first token of requests, one after the other. */
    static double[] alone(final PacedLoad.Client client, final int requests) throws Exception
    {
        final double[] micros = new double[requests];
        try (client)
        {
            for (int i = 0; i < requests; i++)
            {
                final long start = System.nanoTime();
                micros[i] = (client.firstNanos() - start) / 1e3;
            }
        }
        return micros;
    }

    private static double rate(final int port, final int streams, final int tokens) throws Exception
    {
        final ExecutorService clients = Executors.newFixedThreadPool(streams);
        try
        {
            final List<Callable<Integer>> work = new ArrayList<>();
            for (int i = 0; i < streams; i++)
            {
                work.add(() ->
                {
                    try (StreamClient client = new StreamClient(port))
                    {
                        return client.stream(request(tokens));
                    }
                });
            }
            final long start = System.nanoTime();
            for (final Future<Integer> stream : clients.invokeAll(work))
            {
                stream.get();
            }
            return (double)streams * tokens * 1e9 / (System.nanoTime() - start);
        }
        finally
        {
            clients.shutdown();
        }
    }

    private static byte[] request(final int tokens)
    {
        final String body = BODY.formatted(tokens);
        return ("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
            .getBytes(StandardCharsets.UTF_8);
    }

    /** Requests of one token over one connection. */
    private static final class Sender implements PacedLoad.Client
    {
        private static final byte[] REQUEST = request(1);

        private final StreamClient client;

        Sender(final int port) throws IOException
        {
            client = new StreamClient(port);
        }

        @Override
        public long firstNanos() throws IOException
        {
            client.stream(REQUEST);
            return client.firstNanos();
        }

        @Override
        public void close() throws IOException
        {
            client.close();
        }
    }
}
