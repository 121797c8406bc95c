// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.sim.StepCost;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.zip.GZIPInputStream;

/**
 * Fits a {@link StepCost} to measured TTFT and TPOT of one deployment, and says how far the default is from the same
 * points. Reads {@code silicon_sample.csv} of the public repository ai-dynamo/aiconfigurator (Apache-2.0), or a part of
 * it, plain or gzipped.
 */
public final class StepCostFit
{
    private static final String[] DEPLOYMENT_COLUMNS =
        {"model_path", "system", "backend", "backend_version", "mode", "tp_size", "moe_ep_size"};
    private static final List<String> DEPLOYMENT =
        List.of("Qwen/Qwen3-235B-A22B-FP8", "h100_sxm", "trtllm", "1.0.0rc3", "agg", "8", "8");
    private static final int PREFILL_PROMPT_TOKENS = 1024;
    private static final int PREFILL_OUTPUT_TOKENS = 128;
    private static final int[] PREFILL_BATCHES = {64, 128};

    /** One measurement: concurrent requests, prompt and output tokens of each, milliseconds. */
    record Point(int batch, int promptTokens, int outputTokens, double ttftMs, double tpotMs)
    {
        double thousandContextTokens()
        {
            return (double)batch * promptTokens / 1000;
        }
    }

    private StepCostFit()
    {
    }

    public static void main(final String[] arguments)
    {
        if (arguments.length != 1)
        {
            System.err.println("give one argument, silicon_sample.csv of ai-dynamo/aiconfigurator, plain or gzipped.");
            System.exit(2);
        }
        final List<Point> points = read(Path.of(arguments[0]));
        if (points.size() < 3)
        {
            System.err.println(arguments[0] + " holds " + points.size() + " points of " + DEPLOYMENT + "; 3 are needed.");
            System.exit(2);
        }
        final double[] fit = decodeFit(points);
        System.out.printf(Locale.ROOT, "%d points of %s%n", points.size(), DEPLOYMENT);
        print("least squares", fit, points);
        print("default", defaultDecode(), points);
        System.out.printf(Locale.ROOT, "prefill       %.0f ns per token; default %d ns%n",
            prefillNanosPerToken(points), StepCost.DEFAULT.perPrefillTokenNanos());
    }

    private static void print(final String name, final double[] decode, final List<Point> points)
    {
        final double[] errors = relativeErrors(decode, points);
        System.out.printf(Locale.ROOT, "%-13s TPOT = %.2f + %.3f B + %.3f B C ms; mean error %.1f %%, worst %.0f %%%n",
            name, decode[0], decode[1], decode[2],
            100 * Arrays.stream(errors).average().orElseThrow(), 100 * Arrays.stream(errors).max().orElseThrow());
    }

    /** Points of the deployment. A measurement that is listed twice under different labels counts once. */
    static List<Point> read(final Path file)
    {
        try (BufferedReader lines = open(file))
        {
            final List<String> columns = List.of(lines.readLine().split(",", -1));
            final List<Point> points = new ArrayList<>();
            final Set<List<Double>> seen = new HashSet<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine())
            {
                final String[] fields = line.split(",", -1);
                if (isOfTheDeployment(columns, fields))
                {
                    final Point point = point(columns, fields);
                    if (seen.add(List.of(point.ttftMs(), point.tpotMs())))
                    {
                        points.add(point);
                    }
                }
            }
            return points;
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(file + " cannot be read", e);
        }
    }

    private static BufferedReader open(final Path file) throws IOException
    {
        final boolean gzipped = file.toString().endsWith(".gz");
        return new BufferedReader(new InputStreamReader(
            gzipped ? new GZIPInputStream(Files.newInputStream(file)) : Files.newInputStream(file), StandardCharsets.UTF_8));
    }

    private static boolean isOfTheDeployment(final List<String> columns, final String[] fields)
    {
        for (int i = 0; i < DEPLOYMENT_COLUMNS.length; i++)
        {
            if (!DEPLOYMENT.get(i).equals(fields[columns.indexOf(DEPLOYMENT_COLUMNS[i])]))
            {
                return false;
            }
        }
        return true;
    }

    private static Point point(final List<String> columns, final String[] fields)
    {
        return new Point(
            Integer.parseInt(fields[columns.indexOf("batch_size")]),
            Integer.parseInt(fields[columns.indexOf("isl")]),
            Integer.parseInt(fields[columns.indexOf("osl")]),
            Double.parseDouble(fields[columns.indexOf("silicon_ttft_ms")]),
            Double.parseDouble(fields[columns.indexOf("silicon_tpot_ms")]));
    }

    /**
     * Least squares of TPOT over 1, B and B C, by the normal equations.
     *
     * @return {@code [base, per request, per 1,000 tokens]} in ms.
     */
    static double[] decodeFit(final List<Point> points)
    {
        final double[][] equations = new double[3][4];
        for (final Point point : points)
        {
            final double[] term = {1, point.batch(), point.thousandContextTokens()};
            for (int row = 0; row < 3; row++)
            {
                for (int column = 0; column < 3; column++)
                {
                    equations[row][column] += term[row] * term[column];
                }
                equations[row][3] += term[row] * point.tpotMs();
            }
        }
        return solve(equations);
    }

    /** Cramer's rule: three unknowns. */
    private static double[] solve(final double[][] equations)
    {
        final double determinant = determinant(equations, 0, 1, 2);
        return new double[] {
            determinant(equations, 3, 1, 2) / determinant,
            determinant(equations, 0, 3, 2) / determinant,
            determinant(equations, 0, 1, 3) / determinant};
    }

    private static double determinant(final double[][] rows, final int a, final int b, final int c)
    {
        return rows[0][a] * (rows[1][b] * rows[2][c] - rows[1][c] * rows[2][b]) -
            rows[0][b] * (rows[1][a] * rows[2][c] - rows[1][c] * rows[2][a]) +
            rows[0][c] * (rows[1][a] * rows[2][b] - rows[1][b] * rows[2][a]);
    }

    private static double[] defaultDecode()
    {
        return new double[] {
            StepCost.DEFAULT.baseNanos() / 1e6,
            StepCost.DEFAULT.perDecodeEntryNanos() / 1e6,
            StepCost.DEFAULT.perContextTokenPicos() / 1e6};
    }

    static double[] relativeErrors(final double[] decode, final List<Point> points)
    {
        return points.stream().mapToDouble(point ->
        {
            final double predicted = decode[0] + decode[1] * point.batch() + decode[2] * point.thousandContextTokens();
            return Math.abs(predicted - point.tpotMs()) / point.tpotMs();
        }).toArray();
    }

    /**
     * The slope of TTFT between two batches of prompts, doubled because TTFT is a mean over the batch; NaN if the file lacks
     * one of the two points.
     */
    static double prefillNanosPerToken(final List<Point> points)
    {
        final double[] ttftMs = {Double.NaN, Double.NaN};
        for (final Point point : points)
        {
            for (int i = 0; i < 2; i++)
            {
                if (point.batch() == PREFILL_BATCHES[i] && point.promptTokens() == PREFILL_PROMPT_TOKENS &&
                    point.outputTokens() == PREFILL_OUTPUT_TOKENS)
                {
                    ttftMs[i] = point.ttftMs();
                }
            }
        }
        final int tokens = (PREFILL_BATCHES[1] - PREFILL_BATCHES[0]) * PREFILL_PROMPT_TOKENS;
        return 2 * (ttftMs[1] - ttftMs[0]) * 1e6 / tokens;
    }
}
