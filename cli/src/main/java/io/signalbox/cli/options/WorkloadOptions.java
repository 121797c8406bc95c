// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.compare.SeededWorkload;
import io.signalbox.config.Setting;
import io.signalbox.workload.AgentPlays;
import io.signalbox.workload.AgentTrace;
import io.signalbox.workload.Cancellations;
import io.signalbox.workload.FirstRequests;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.Tenants;
import io.signalbox.workload.TraceFormat;
import io.signalbox.workload.TraceOpening;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadPreset;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The source of the requests: a trace file, or the generator of conversations. */
public final class WorkloadOptions extends TraceOptions
{
    private static final String GENERATED = "is for generated workloads, and --trace gives the requests";

    @Option(names = "--workload", paramLabel = "NAME",
        description = "Generate this workload: conversations, skewed, bursty, closed-loop or benchmark; other options of " +
            "this group change it (default: ${DEFAULT-VALUE}).")
    private String preset = WorkloadPreset.CONVERSATIONS.label();

    @Option(names = "--trace", paramLabel = "FILE",
        description = "Read requests from FILE in a format of --trace-format.")
    @InputPath
    private Path trace;

    @Option(names = "--trace-format", paramLabel = "FORMAT",
        description = "Read the trace as auto (by its first line), mooncake, mooncake-delta, agent, azure, burstgpt, " +
            "sharegpt, bailian, aiperf, vllm-bench, dynamo or signalbox (default: auto).")
    private String traceFormat;

    @Option(names = "--trace-time-unit", paramLabel = "UNIT",
        description = "Read timestamps as s, ms, us or ns (default: as the format has them).")
    private String timeUnit;

    @Option(names = "--trace-tokens-per-id", paramLabel = "N",
        description = "Take N tokens per hash id (default: as the format or the lengths say).")
    private Integer tokensPerId;

    private final SettingOptions generated = SettingOptions.of(GeneratedWorkloadConfig.SETTINGS).without(
        GeneratedWorkloadConfig.SEED);
    private final SettingOptions requests = SettingOptions.of(Stream.of(FirstRequests.SETTINGS, Cancellations.SETTINGS,
        Tenants.SETTINGS).<Setting<?>>flatMap(List::stream).toList()).defaultInWords(FirstRequests.COUNT, "all");

    private int leftOut;

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(generated, plays(), requests);
    }

    /** @throws ConfigException if an option has no effect on the source of the requests. */
    public void refuseIdle(final ParseResult given)
    {
        if (trace == null)
        {
            plays().refuseGiven("is for plays of a --trace, which is not given");
            return;
        }
        IdleOptions.refuse(given, "--workload", GENERATED);
        generated.refuseGiven(GENERATED);
    }

    /** Number of requests that {@code --limit} leaves out. */
    public int leftOut()
    {
        return leftOut;
    }

    /** {@code null} if the workload is generated. */
    public Path trace()
    {
        return trace;
    }

    /** The source of the requests, as the subject of a sentence. */
    public String source()
    {
        return trace == null ? "the generated workload" : "the trace " + trace;
    }

    /** Advice that makes the workload smaller, as an imperative. */
    public String remedy()
    {
        return trace == null ? "give fewer --conversations or --turns" : "give a smaller trace";
    }

    /** @param unspread the seed that leaves the arrivals of a trace as they are; another one spreads them. */
    public Workload workload(final long seed, final long unspread)
    {
        check();
        Workload workload = trace == null ? generated(seed) : recorded(seed, unspread);
        if (requests.isGiven(FirstRequests.COUNT))
        {
            final int whole = workload.requests().size();
            workload = new FirstRequests(workload, requests.get(FirstRequests.COUNT));
            leftOut = whole - workload.requests().size();
        }
        workload = new Tenants(requests.get(Tenants.SHARES), seed).applyTo(workload);
        // Cancellations without requests would still change the run description.
        final double cancelled = requests.get(Cancellations.FRACTION);
        return cancelled == 0.0
            ? workload
            : new Cancellations(cancelled, requests.get(Cancellations.MEAN_DELAY_NANOS), seed).applyTo(workload);
    }

    private Workload recorded(final long seed, final long unspread)
    {
        final TraceOpening opening = opening();
        if (opening.formatOf(trace) == TraceFormat.AGENT)
        {
            return AgentTrace.of(AgentPlays.read(trace), agentConfig(seed));
        }
        refuseFor(trace);
        return SeededWorkload.recorded(trace.toString(), opening.read(trace), unspread).ofSeed().apply(seed);
    }

    private TraceOpening opening()
    {
        if (tokensPerId != null && tokensPerId < 1)
        {
            throw new ConfigException("--trace-tokens-per-id=" + tokensPerId +
                " is below 1; give the tokens that each hash id stands for.");
        }
        return new TraceOpening(traceFormat == null || traceFormat.equals("auto") ? null : TraceFormat.parse(traceFormat),
            timeUnit, tokensPerId == null ? 0 : tokensPerId);
    }

    private void check()
    {
        if (trace != null && trace.toString().isEmpty())
        {
            throw new ConfigException("--trace is empty; give the path of a JSONL file, or leave the option out.");
        }
        if (trace == null && (traceFormat != null || timeUnit != null || tokensPerId != null))
        {
            throw new ConfigException("--trace-format, --trace-time-unit and --trace-tokens-per-id are for a --trace, " +
                "which is not given; leave them out.");
        }
        requests.check();
    }

    private Workload generated(final long seed)
    {
        final GeneratedWorkloadConfig.Builder builder = WorkloadPreset.of(preset).builder().seed(seed);
        generated.forEachGiven(builder::set);
        return GeneratedWorkload.of(builder.build());
    }
}
