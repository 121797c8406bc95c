// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.batch.TenantWeights;
import io.signalbox.cli.console.HeapShortage;
import io.signalbox.compare.SeededWorkload;
import io.signalbox.config.Setting;
import io.signalbox.files.InputFile;
import io.signalbox.workload.AgentPlays;
import io.signalbox.workload.FirstRequests;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.HastenedArrivals;
import io.signalbox.workload.MooncakeTrace;
import io.signalbox.workload.RequestTrace;
import io.signalbox.workload.Tenants;
import io.signalbox.workload.TraceFormat;
import io.signalbox.workload.WorkloadPreset;
import picocli.CommandLine.Option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The workloads on which routers are compared: generated ones by name, recorded ones by file. */
public final class ComparedWorkloads extends TraceOptions
{
    @Option(names = "--workloads", paramLabel = "LIST", split = ",",
        description = "Run these generated workloads (conversations, skewed, bursty, closed-loop) and trace files, in the " +
            "formats that simulate reads (default: conversations).")
    @InputPath(ComparedWorkloads.Recorded.class)
    private List<String> workloads = List.of(WorkloadPreset.CONVERSATIONS.label());

    private final SettingOptions generated = SettingOptions.of(List.of(GeneratedWorkloadConfig.CONVERSATIONS))
        .defaultsInWords("as the workload says");
    private final SettingOptions requests = SettingOptions.of(
        Stream.of(FirstRequests.SETTINGS, HastenedArrivals.SETTINGS, Tenants.SETTINGS)
            .<Setting<?>>flatMap(List::stream).toList()).defaultInWords(FirstRequests.COUNT, "all");

    private boolean anyGenerated;
    private boolean anyAgents;

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(generated, plays(), requests);
    }

    /** Reads the traces; each run makes its own requests from them. */
    public List<SeededWorkload> workloads(final long firstSeed)
    {
        requests.check();
        final TenantWeights shares = requests.get(Tenants.SHARES);
        final List<SeededWorkload> found = new ArrayList<>();
        for (final String name : workloads)
        {
            final SeededWorkload named = workload(name, firstSeed);
            final SeededWorkload workload = requests.isGiven(HastenedArrivals.SPEED) ?
                named.hastened(requests.get(HastenedArrivals.SPEED)) : named;
            final SeededWorkload limited = requests.isGiven(FirstRequests.COUNT) ?
                workload.limitedTo(requests.get(FirstRequests.COUNT)) : workload;
            found.add(shares.byName().isEmpty() ? limited : limited.divided(shares));
        }
        refuseIdle();
        return found;
    }

    /** A workload that is not generated is a trace. */
    public static final class Recorded implements PathInValue
    {
        @Override
        public String in(final String value)
        {
            return preset(value).isPresent() ? null : value;
        }
    }

    private static Optional<WorkloadPreset> preset(final String name)
    {
        return Arrays.stream(WorkloadPreset.values()).filter(known -> known.label().equals(name)).findFirst();
    }

    private SeededWorkload workload(final String name, final long firstSeed)
    {
        final Optional<WorkloadPreset> preset = preset(name);
        if (preset.isPresent())
        {
            anyGenerated = true;
            // A number out of range is to be refused before anything runs.
            builder(preset.get()).build();
            return SeededWorkload.generated(name, () -> builder(preset.get()));
        }
        final Path file = PathConverter.path(name);
        final String unusable = InputFile.fault(file);
        if (unusable != null && Files.exists(file) && !name.isEmpty())
        {
            throw new ConfigException("--workloads=" + name + " " + unusable + "; give the path of a JSONL file.");
        }
        if (unusable != null)
        {
            throw new ConfigException("--workloads=" + name + " is neither a trace file nor one of " +
                WorkloadPreset.labels() + "; give such a name, or the path of a JSONL file.");
        }
        final String fileName = file.getFileName().toString();
        if (TraceFormat.of(file) == TraceFormat.AGENT)
        {
            anyAgents = true;
            return SeededWorkload.agents(fileName, read(file, () -> AgentPlays.read(file)), agentConfig(1));
        }
        return TraceFormat.of(file) == TraceFormat.REQUESTS
            ? SeededWorkload.recorded(fileName, read(file, () -> RequestTrace.read(file)), firstSeed)
            : SeededWorkload.recorded(fileName, read(file, () -> MooncakeTrace.read(file)), firstSeed);
    }

    private static <T> T read(final Path file, final Supplier<T> reading)
    {
        return HeapShortage.named("the trace " + file, "give a smaller trace", reading);
    }

    private GeneratedWorkloadConfig.Builder builder(final WorkloadPreset preset)
    {
        final GeneratedWorkloadConfig.Builder builder = preset.builder();
        generated.forEachGiven(builder::set);
        return builder;
    }

    private void refuseIdle()
    {
        if (!anyGenerated && !generated.given().isEmpty())
        {
            throw new ConfigException(
                "--conversations is for generated workloads, and --workloads names none; leave it out.");
        }
        if (!anyAgents)
        {
            refuseWithoutAgents("--workloads");
        }
    }
}
