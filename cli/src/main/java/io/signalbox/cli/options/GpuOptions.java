// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.cuda.CudaBackendConfig;
import io.signalbox.cuda.check.CheckConfig;
import io.signalbox.cuda.check.CheckLimits;
import io.signalbox.cuda.check.GpuSection;
import io.signalbox.cuda.check.OverheadCell;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.experts.ModelShape;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The sections of a GPU check and their sizes. Defaults: Qwen3-30B-A3B's routing at 32 requests. */
public final class GpuOptions
{
    /** The sections that read an option; every other option is read by several. */
    private static final Map<String, List<GpuSection>> SECTIONS = new TreeMap<>(Map.of(
        "--rounds", List.of(GpuSection.ROUTERS),
        "--checked-steps", List.of(GpuSection.STEPS, GpuSection.RANKS),
        "--steps", List.of(GpuSection.MODEL, GpuSection.OVERHEAD),
        "--model-layers", List.of(GpuSection.MODEL, GpuSection.PROFILE),
        "--bits-only", List.of(GpuSection.MODEL),
        "--soak", List.of(GpuSection.SOAK),
        "--step-time", List.of(GpuSection.TURNAROUND, GpuSection.OVERHEAD),
        "--samples", List.of(GpuSection.LATENCY, GpuSection.LAUNCHES, GpuSection.TURNAROUND),
        "--cells", List.of(GpuSection.TURNAROUND, GpuSection.OVERHEAD),
        "--sanitizer-limit", List.of(GpuSection.SANITIZER)));

    @Option(names = "--sections", paramLabel = "NAME", split = ",", completionCandidates = Labels.class,
        description = "Run these sections: ${COMPLETION-CANDIDATES} (default: all).")
    private List<String> sections;

    @Option(names = "--device", paramLabel = "N",
        description = "Use the GPU that the driver numbers N (default: ${DEFAULT-VALUE}).")
    private int device = CheckConfig.DEVICE.defaultValue();

    @Option(names = "--seed", paramLabel = "N",
        description = "Seed the random inputs with N (default: drawn, and printed).")
    private Long seed;

    @Option(names = "--rounds", paramLabel = "N",
        description = "Try N fresh inputs per router mode, logit type and shape (default: ${DEFAULT-VALUE}).")
    private int rounds = CheckConfig.ROUNDS.defaultValue();

    @Option(names = "--moe-layers", paramLabel = "N",
        description = "Give a step N MoE layers (default: ${DEFAULT-VALUE}).")
    private int moeLayers = CudaBackendConfig.MOE_LAYERS.defaultValue();

    @Option(names = "--experts", paramLabel = "N",
        description = "Give each layer N experts (default: ${DEFAULT-VALUE}).")
    private int experts = ExpertRouterSpec.EXPERTS.defaultValue();

    @Option(names = "--top-k", paramLabel = "N",
        description = "Route each token to N experts (default: ${DEFAULT-VALUE}).")
    private int topK = ExpertRouterSpec.TOP_K.defaultValue();

    @Option(names = "--batch", paramLabel = "N", description = "Give a step N tokens (default: ${DEFAULT-VALUE}).")
    private int batch = CheckConfig.TOKENS.defaultValue();

    @Option(names = "--checked-steps", paramLabel = "N",
        description = "Run N steps in the section steps (default: ${DEFAULT-VALUE}).")
    private int checkedSteps = CheckConfig.CHECKED_STEPS.defaultValue();

    @Option(names = "--steps", paramLabel = "N",
        description = "Run N steps per comparison in the section overhead; model has fewer (default: ${DEFAULT-VALUE}).")
    private int steps = CheckConfig.TIMED_STEPS.defaultValue();

    @Option(names = "--cells", paramLabel = "BATCH[/MOST][@MS]", split = ",",
        description = "Compare these in the section overhead: tokens of a step, the most tokens that buffers hold, and " +
            "the length that memory reads give a step (default: 32@13.2,32/8192@13.2,1@1.44,1/8192@1.44,256@20.7," +
            "256/8192@20.7).")
    private List<String> cells;

    @Option(names = "--step-time", paramLabel = "MS",
        description = "Give the steps of all comparisons this length; 0 reads no memory.")
    private Double stepMillis;

    @Option(names = "--model-layers", paramLabel = "N",
        description = "Give the large model of the section model N layers, 0 to 16; 0: a small one (default: " +
            "${DEFAULT-VALUE}).")
    private int modelLayers = CheckConfig.MODEL_LAYERS.defaultValue();

    @Option(names = "--bits-only",
        description = "Only compare small models in the section model: no engine, no large model, no times.")
    private boolean bitsOnly;

    @Option(names = "--soak", paramLabel = "S",
        description = "Serve requests for S seconds in the section soak (default: ${DEFAULT-VALUE}).")
    private int soakSeconds = CheckConfig.SOAK_SECONDS.defaultValue();

    @Option(names = "--samples", paramLabel = "N",
        description = "Take N samples of latencies and launch costs (default: ${DEFAULT-VALUE}).")
    private int samples = CheckConfig.SAMPLES.defaultValue();

    @Option(names = "--section-limit", paramLabel = "S",
        description = "Fail a section and end the check after S seconds (default: ${DEFAULT-VALUE}); overhead has 2.5 " +
            "times its expected duration, sanitizer the limit of its tools in addition.")
    private int sectionLimit = CheckLimits.SECTION_SECONDS.defaultValue();

    @Option(names = "--sanitizer-limit", paramLabel = "S",
        description = "Give each tool of compute-sanitizer S seconds (default: ${DEFAULT-VALUE}).")
    private int sanitizerLimit = CheckLimits.SANITIZER_SECONDS.defaultValue();

    /** @param program the class whose {@code main} a section starts again under a tool. */
    public CheckConfig options(final Class<?> program)
    {
        return CheckConfig.of(new ModelShape(moeLayers, experts, topK), chosen(), command(program))
            .withDevice(device)
            .withSeed(seed == null ? System.nanoTime() : seed)
            .withTokens(batch)
            .withRounds(rounds)
            .withSteps(checkedSteps, steps)
            .withCells(compared())
            .withModel(modelLayers, bitsOnly)
            .withSoakSeconds(soakSeconds)
            .withSamples(samples)
            .withLimits(new CheckLimits(sectionLimit, sanitizerLimit));
    }

    private List<OverheadCell> compared()
    {
        final List<OverheadCell> asked =
            cells == null ? OverheadCell.DEFAULT : cells.stream().map(OverheadCell::parse).toList();
        return stepMillis == null ? asked : asked.stream().map(cell -> cell.lasting(stepMillis)).toList();
    }

    /** Refuses options of sections that are not among those that {@code --sections} names. */
    public void refuseIdle(final ParseResult given)
    {
        final Set<GpuSection> chosen = chosen();
        SECTIONS.forEach((option, sections) ->
        {
            if (given.hasMatchedOption(option) && sections.stream().noneMatch(chosen::contains))
            {
                throw new ConfigException(option + " is for the section " +
                    sections.stream().map(GpuSection::label).collect(Collectors.joining(" or ")) +
                    ", and --sections names other ones; leave it out, or change the other.");
            }
        });
    }

    private Set<GpuSection> chosen()
    {
        if (sections == null)
        {
            return EnumSet.allOf(GpuSection.class);
        }
        final Set<GpuSection> chosen = EnumSet.noneOf(GpuSection.class);
        for (final String name : sections)
        {
            chosen.add(section(name));
        }
        return chosen;
    }

    private static GpuSection section(final String name)
    {
        return Arrays.stream(GpuSection.values())
            .filter(section -> section.label().equals(name.toLowerCase(Locale.ROOT)))
            .findFirst()
            .orElseThrow(() -> new ConfigException(
                "--sections: there is no section '" + name + "'; give some of " + String.join(", ", new Labels()) + "."));
    }

    /** The command line of this process up to the options, for the section that restarts it under a tool. */
    private static List<String> command(final Class<?> program)
    {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName(), "gpu"));
        return command;
    }

    /** The names of the sections, for the help. */
    public static final class Labels implements Iterable<String>
    {
        @Override
        public Iterator<String> iterator()
        {
            return Arrays.stream(GpuSection.values()).map(GpuSection::label).iterator();
        }
    }
}
