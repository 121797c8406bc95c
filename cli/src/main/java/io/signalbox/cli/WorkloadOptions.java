// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.ConfigException;
import io.signalbox.workload.AgentPlays;
import io.signalbox.workload.AgentTrace;
import io.signalbox.workload.AgentTraceConfig;
import io.signalbox.workload.Arrivals;
import io.signalbox.workload.Cancellations;
import io.signalbox.workload.FirstRequests;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.MooncakeTrace;
import io.signalbox.workload.SizeDistribution;
import io.signalbox.workload.TraceFormat;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import picocli.CommandLine.Option;

import java.nio.file.Path;

/** Where the requests come from: a trace file, or the generator of conversations. */
final class WorkloadOptions
{
    @Option(names = "--trace", paramLabel = "FILE",
        description = "Requests of a JSONL file, plain or gzipped, instead of generated conversations: Mooncake's format " +
            "or plays of coding agents, which is seen from the content.")
    private Path trace;

    @Option(names = "--plays", paramLabel = "N",
        description = "Plays of an agent trace that run at a time; the next starts when one ends (default: all).")
    private Integer plays;

    @Option(names = "--stagger", paramLabel = "SECONDS",
        description = "Mean gap between the starts of the first plays (default: 5.0).")
    private Double staggerSeconds;

    @Option(names = "--max-think-time", paramLabel = "SECONDS",
        description = "Longest pause within a play; longer ones are cut to it (default: as recorded).")
    private Double maxThinkTimeSeconds;

    @Option(names = "--separate-plays",
        description = "Plays with tools and system prompts of equal sizes share nothing.")
    private boolean separatePlays;

    @Option(names = "--limit", paramLabel = "N", description = "Only the first N requests of the workload.")
    private Integer limit;

    @Option(names = "--conversations", paramLabel = "N",
        description = "Generated conversations, a few requests each (default: ${DEFAULT-VALUE}).")
    private int conversations = 400;

    @Option(names = "--arrivals", paramLabel = "KIND",
        description = "When conversations start: poisson:RATE, bursty:RATE,CV (conversations per second, coefficient of " +
            "variation) or replayed:FILE (times of a trace); default: ${DEFAULT-VALUE}.")
    private String arrivals = "poisson:8.0";

    @Option(names = "--system-prompt", paramLabel = "TOKENS",
        description = "Tokens that every generated prompt starts with (default: ${DEFAULT-VALUE}).")
    private int systemPromptTokens = 512;

    @Option(names = "--turns", paramLabel = "SIZES",
        description = "Turns per conversation: lognormal:MEDIAN,SIGMA,MIN,MAX, zipf:EXPONENT,MIN,MAX or fixed:N; " +
            "default: ${DEFAULT-VALUE}.")
    private String turns = "lognormal:4,0.7,1,32";

    @Option(names = "--user-tokens", paramLabel = "SIZES", description = "New text per turn; default: ${DEFAULT-VALUE}.")
    private String userTokens = "lognormal:200,1.0,8,4096";

    @Option(names = "--output-tokens", paramLabel = "SIZES",
        description = "Generated tokens per turn; default: ${DEFAULT-VALUE}.")
    private String outputTokens = "lognormal:150,0.8,4,1024";

    @Option(names = "--think-time", paramLabel = "SECONDS",
        description = "Mean pause before the next turn (default: ${DEFAULT-VALUE}).")
    private double thinkTimeSeconds = 5.0;

    @Option(names = "--max-context", paramLabel = "TOKENS",
        description = "A conversation ends before it would pass this (default: ${DEFAULT-VALUE}).")
    private int maxContextTokens = 32_768;

    @Option(names = "--cancel-fraction", paramLabel = "SHARE",
        description = "Share of requests whose client gives up, 0 to 1 (default: ${DEFAULT-VALUE}).")
    private double cancelFraction;

    @Option(names = "--cancel-after", paramLabel = "SECONDS",
        description = "Mean time until such a client gives up (default: ${DEFAULT-VALUE}).")
    private double cancelAfterSeconds = 5.0;

    private int leftOut;
    /** Null where the workload is none. */
    private AgentTrace agentTrace;

    /** Requests behind those that {@code --limit} lets in. */
    int leftOut()
    {
        return leftOut;
    }

    Workload workload(final long seed)
    {
        check();
        Workload workload = trace == null ? OptionNames.translate(() -> generated(seed)) : recorded(seed);
        if (limit != null)
        {
            final int whole = workload.requests().size();
            workload = new FirstRequests(workload, limit);
            leftOut = whole - workload.requests().size();
        }
        // Cancellations of nobody would still change the run description.
        return cancelFraction == 0.0
            ? workload
            : new Cancellations(cancelFraction, nanos("--cancel-after", cancelAfterSeconds), seed).applyTo(workload);
    }

    private Workload recorded(final long seed)
    {
        if (TraceFormat.of(trace) == TraceFormat.AGENT)
        {
            agentTrace = AgentTrace.of(AgentPlays.read(trace), agentConfig(seed));
            return agentTrace;
        }
        if (plays != null || staggerSeconds != null || maxThinkTimeSeconds != null || separatePlays)
        {
            throw new ConfigException("--plays, --stagger, --max-think-time and --separate-plays are for traces of agent " +
                "plays, and " + trace + " is none; leave them out.");
        }
        return MooncakeTrace.read(trace);
    }

    private AgentTraceConfig agentConfig(final long seed)
    {
        AgentTraceConfig config = AgentTraceConfig.DEFAULT.withSeed(seed).withSharedPrompts(!separatePlays);
        if (plays != null && plays < 1)
        {
            throw new ConfigException("--plays=" + plays + " leaves nothing to run; let at least 1 play run at a time.");
        }
        config = plays == null ? config : config.withConcurrentPlays(plays);
        config = staggerSeconds == null ? config : config.withMeanStaggerNanos(nanos("--stagger", staggerSeconds));
        return maxThinkTimeSeconds == null ? config :
            config.withMaxThinkTimeNanos(nanos("--max-think-time", maxThinkTimeSeconds));
    }

    private void check()
    {
        if (trace != null && trace.toString().isEmpty())
        {
            throw new ConfigException("--trace is empty; give the path of a JSONL file, or leave the option out.");
        }
        if (limit != null && limit < 1)
        {
            throw new ConfigException("--limit=" + limit + " leaves nothing to run; ask for at least 1 request.");
        }
        if (!(cancelFraction >= 0.0 && cancelFraction <= 1.0))
        {
            throw new ConfigException(
                "--cancel-fraction=" + cancelFraction + " is not between 0 and 1; give the share of requests to cancel.");
        }
        if (nanos("--cancel-after", cancelAfterSeconds) < 1)
        {
            throw new ConfigException(
                "--cancel-after=" + cancelAfterSeconds + " is not above 0 seconds; give a mean time to cancel.");
        }
    }

    /** Names a request for a message: in a Mooncake trace, a request's id is the number of its line. */
    String placeOf(final WorkloadRequest request)
    {
        if (agentTrace != null)
        {
            return "request " + request.requestId() + ", on line " + agentTrace.lineOf(request) + " of " + trace + ",";
        }
        return trace == null
            ? "request " + request.requestId() + " of the generated workload"
            : "line " + request.requestId() + " of " + trace;
    }

    private Workload generated(final long seed)
    {
        return GeneratedWorkload.of(GeneratedWorkloadConfig.builder()
            .seed(seed)
            .conversations(conversations)
            .arrivals(Arrivals.of("--arrivals", arrivals))
            .systemPromptTokens(systemPromptTokens)
            .turns(SizeDistribution.of("--turns", turns))
            .userTokens(SizeDistribution.of("--user-tokens", userTokens))
            .outputTokens(SizeDistribution.of("--output-tokens", outputTokens))
            .meanThinkTimeNanos(nanos("--think-time", thinkTimeSeconds))
            .maxContextTokens(maxContextTokens)
            .build());
    }

    private static long nanos(final String option, final double seconds)
    {
        if (!(seconds >= 0.0 && seconds <= 1e6))
        {
            throw new ConfigException(option + "=" + seconds + " is not between 0 and 1e6 seconds; give a time.");
        }
        return (long)(seconds * Arrivals.NANOS_PER_SECOND);
    }
}
