// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import io.signalbox.ConfigException;

import java.util.Map;

/** The summary of one run of a load generator, by the names of its JSON fields. */
record BenchmarkResult(String source, Map<String, String> leaves)
{
    private static final double MILLIS_PER_SECOND = 1000;

    /** Of {@code vllm bench serve}, and of SGLang's {@code bench_serving}, which has the same names. */
    LoadPoint ofServe()
    {
        final double completed = number("completed");
        final double prompt = number("total_input_tokens") / completed;
        final double output = number("total_output_tokens") / completed;
        final double ttft = number("mean_ttft_ms");
        final double tpot = number("mean_tpot_ms");
        return point(prompt, output, "max_concurrency", completed, "duration", ttft, tpot);
    }

    /** Of AIPerf: {@code profile_export_aiperf.json}. */
    LoadPoint ofAiperf()
    {
        return point(number("input_sequence_length.avg"), number("output_sequence_length.avg"),
            "input_config.loadgen.concurrency", number("request_count.avg"), "benchmark_duration.avg",
            millis("time_to_first_token"), millis("inter_token_latency"));
    }

    /** Without a fixed concurrency, the mean one follows from the time that requests took together. */
    private LoadPoint point(final double prompt, final double output, final String concurrencyName, final double completed,
        final String durationName, final double ttft, final double tpot)
    {
        final String limit = leaves.get(concurrencyName);
        final boolean isLimited = limit != null && limit.matches("\\d{1,9}");
        final double concurrency = isLimited ? Math.min(completed, number(concurrencyName)) :
            completed * (ttft + tpot * (output - 1)) / MILLIS_PER_SECOND / number(durationName);
        return new LoadPoint(source, (int)Math.round(prompt), (int)Math.round(output),
            (int)Math.max(1, Math.round(concurrency)), ttft, tpot);
    }

    private double millis(final String metric)
    {
        final String unit = leaves.getOrDefault(metric + ".unit", "ms");
        final double value = number(metric + ".avg");
        return switch (unit)
        {
            case "ms" -> value;
            case "sec", "s" -> value * MILLIS_PER_SECOND;
            case "us" -> value / MILLIS_PER_SECOND;
            default -> throw new ConfigException(source + " has " + metric + " in '" + unit +
                "'; ms, s or us is allowed. Correct the unit.");
        };
    }

    private double number(final String name)
    {
        final String text = leaves.get(name);
        try
        {
            final double number = text == null ? Double.NaN : Double.parseDouble(text);
            if (Double.isFinite(number) && number > 0)
            {
                return number;
            }
        }
        catch (final NumberFormatException e)
        {
            // Refused below.
        }
        throw new ConfigException(source + " has " + (text == null ? "no " + name : name + "=" +
            text.substring(0, Math.min(40, text.length()))) + "; a number above 0 is needed. Give the whole result of a " +
            "run in which requests completed.");
    }
}
