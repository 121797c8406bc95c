// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.workload.AgentPlays;
import io.signalbox.workload.AgentTrace;
import io.signalbox.workload.Cancellations;
import io.signalbox.workload.FirstRequests;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.MooncakeTrace;
import io.signalbox.workload.RequestTrace;
import io.signalbox.workload.Tenants;
import io.signalbox.workload.TraceFormat;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadPreset;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** The source of the requests: a trace file, or the generator of conversations. */
public final class WorkloadOptions extends TraceOptions
{
    private static final double DEFAULT_CANCEL_AFTER = 5.0;

    @Option(names = "--workload", paramLabel = "NAME",
        description = "Generate this workload: conversations, skewed, bursty, closed-loop or benchmark; other options of " +
            "this group change it (default: ${DEFAULT-VALUE}).")
    private String preset = WorkloadPreset.CONVERSATIONS.label();

    @Option(names = "--trace", paramLabel = "FILE",
        description = "Read requests from a JSONL file, plain or gzipped: Mooncake's format, plays of coding " +
            "agents, or what 'signalbox trace' writes.")
    @InputPath
    private Path trace;

    @Option(names = "--limit", paramLabel = "N", description = "Run only the first N requests of the workload.")
    private Integer limit;

    @Option(names = "--conversations", paramLabel = "N",
        description = "Generate N conversations of a few requests each (for conversations: 400).")
    private Integer conversations;

    @Option(names = "--clients", paramLabel = "N",
        description = "Run N conversations at a time; the next starts when one ends. 0: they start when they arrive " +
            "(for conversations: 0).")
    private Integer clients;

    @Option(names = "--arrivals", paramLabel = "KIND",
        description = "Start conversations by poisson:RATE, bursty:RATE,CV (conversations per second, coefficient of " +
            "variation) or replayed:FILE (times of a trace); for conversations: poisson:8.0.")
    @InputPath(PathInValue.AfterColon.class)
    private String arrivals;

    @Option(names = "--system-prompt", paramLabel = "TOKENS",
        description = "Start every generated prompt with this many shared tokens (for conversations: 512).")
    private Integer systemPromptTokens;

    @Option(names = "--turns", paramLabel = "SIZES",
        description = "Draw turns per conversation: lognormal:MEDIAN,SIGMA,MIN,MAX, zipf:EXPONENT,MIN,MAX, uniform:MIN,MAX" +
            " or fixed:N; for conversations: lognormal:4,0.7,1,32.")
    private String turns;

    @Option(names = "--user-tokens", paramLabel = "SIZES",
        description = "Draw new prompt tokens per turn; for conversations: lognormal:200,1.0,8,4096.")
    private String userTokens;

    @Option(names = "--output-tokens", paramLabel = "SIZES",
        description = "Draw output tokens per turn; for conversations: lognormal:150,0.8,4,1024.")
    private String outputTokens;

    @Option(names = "--think-time", paramLabel = "SECONDS",
        description = "Pause this long on average before the next turn (for conversations: 5.0).")
    private Double thinkTimeSeconds;

    @Option(names = "--max-context", paramLabel = "TOKENS",
        description = "End a conversation before its context passes this (for conversations: 32768).")
    private Integer maxContextTokens;

    @Option(names = "--cancel-fraction", paramLabel = "SHARE",
        description = "Cancel this share of the requests, 0 to 1 (default: ${DEFAULT-VALUE}).")
    private double cancelFraction = Cancellations.FRACTION.defaultValue();

    @Option(names = "--cancel-after", paramLabel = "SECONDS",
        description = "Cancel them after this mean time (default: ${DEFAULT-VALUE}).")
    private double cancelAfterSeconds = DEFAULT_CANCEL_AFTER;

    @Option(names = "--tenants", paramLabel = "NAME=SHARE", split = ",",
        description = "Divide the requests among these tenants by shares, such as a=8,b=1 (default: none).")
    private List<String> tenants = List.of();

    private int leftOut;

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

    public Workload workload(final long seed)
    {
        check();
        Workload workload = trace == null ? generated(seed) : recorded(seed);
        if (limit != null)
        {
            final int whole = workload.requests().size();
            workload = new FirstRequests(workload, limit);
            leftOut = whole - workload.requests().size();
        }
        if (!tenants.isEmpty())
        {
            workload = new Tenants(Tenants.SHARES.parse(String.join(",", tenants)), seed).applyTo(workload);
        }
        // Cancellations without requests would still change the run description.
        return cancelFraction == 0.0
            ? workload
            : new Cancellations(cancelFraction, cancelAfterNanos(), seed).applyTo(workload);
    }

    private Workload recorded(final long seed)
    {
        if (TraceFormat.of(trace) == TraceFormat.AGENT)
        {
            return AgentTrace.of(AgentPlays.read(trace), agentConfig(seed));
        }
        refuseFor(trace);
        return TraceFormat.of(trace) == TraceFormat.REQUESTS ? RequestTrace.read(trace) : MooncakeTrace.read(trace);
    }

    private void check()
    {
        if (trace != null && trace.toString().isEmpty())
        {
            throw new ConfigException("--trace is empty; give the path of a JSONL file, or leave the option out.");
        }
        if (limit != null)
        {
            FirstRequests.COUNT.check(limit);
        }
        Cancellations.FRACTION.check(cancelFraction);
        if (cancelFraction == 0.0 && cancelAfterSeconds != DEFAULT_CANCEL_AFTER)
        {
            throw new ConfigException("--cancel-after is for requests that --cancel-fraction cancels, and " +
                "--cancel-fraction=0 cancels none; leave it out, or change the other.");
        }
        cancelAfterNanos();
    }

    private long cancelAfterNanos()
    {
        return nanos(Cancellations.MEAN_DELAY_NANOS, cancelAfterSeconds);
    }

    private Workload generated(final long seed)
    {
        final GeneratedWorkloadConfig.Builder builder = WorkloadPreset.of(preset).builder().seed(seed);
        ifGiven(conversations, builder::conversations);
        ifGiven(clients, builder::clients);
        ifGiven(arrivals, value -> builder.arrivals(GeneratedWorkloadConfig.ARRIVALS.parse(value)));
        ifGiven(systemPromptTokens, builder::systemPromptTokens);
        ifGiven(turns, value -> builder.turns(GeneratedWorkloadConfig.TURNS.parse(value)));
        ifGiven(userTokens, value -> builder.userTokens(GeneratedWorkloadConfig.USER_TOKENS.parse(value)));
        ifGiven(outputTokens, value -> builder.outputTokens(GeneratedWorkloadConfig.OUTPUT_TOKENS.parse(value)));
        ifGiven(thinkTimeSeconds, value ->
            builder.meanThinkTimeNanos(nanos(GeneratedWorkloadConfig.MEAN_THINK_TIME_NANOS, value)));
        ifGiven(maxContextTokens, builder::maxContextTokens);
        return GeneratedWorkload.of(builder.build());
    }

    private static <T> void ifGiven(final T value, final Consumer<T> setting)
    {
        if (value != null)
        {
            setting.accept(value);
        }
    }
}
