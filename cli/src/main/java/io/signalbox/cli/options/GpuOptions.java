// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
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
import java.util.stream.Stream;

/** The sections of a GPU check and their sizes. Defaults: Qwen3-30B-A3B's routing at 32 requests. */
public final class GpuOptions implements SettingGroup
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

    @Option(names = "--seed", paramLabel = "N",
        description = "Seed the random inputs with N (default: drawn, and printed).")
    private Long seed;

    @Option(names = "--cells", paramLabel = "BATCH[/MOST][@MS]", split = ",",
        description = "Compare these in the section overhead: tokens of a step, the most tokens that buffers hold, and " +
            "the length that memory reads give a step (default: 32@13.2,32/8192@13.2,1@1.44,1/8192@1.44,256@20.7," +
            "256/8192@20.7).")
    private List<String> cells;

    @Option(names = "--bits-only",
        description = "Only compare small models in the section model: no engine, no large model, no times.")
    private boolean bitsOnly;

    private final SettingOptions checks = SettingOptions.of(Stream.of(CheckConfig.SETTINGS,
        List.of(CudaBackendConfig.MOE_LAYERS, ExpertRouterSpec.EXPERTS, ExpertRouterSpec.TOP_K),
        CheckLimits.SETTINGS, OverheadCell.SETTINGS)
        .<Setting<?>>flatMap(List::stream).toList())
        .defaultInWords(OverheadCell.MILLIS, "as the comparison says");

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(checks);
    }

    /** @param program the class whose {@code main} a section starts again under a tool. */
    public CheckConfig options(final Class<?> program)
    {
        final ModelShape shape = new ModelShape(checks.unchecked(CudaBackendConfig.MOE_LAYERS),
            checks.unchecked(ExpertRouterSpec.EXPERTS), checks.unchecked(ExpertRouterSpec.TOP_K));
        return CheckConfig.of(shape, chosen(), command(program))
            .withDevice(checks.get(CheckConfig.DEVICE))
            .withSeed(seed == null ? System.nanoTime() : seed)
            .withTokens(checks.get(CheckConfig.TOKENS))
            .withRounds(checks.get(CheckConfig.ROUNDS))
            .withSteps(checks.get(CheckConfig.CHECKED_STEPS), checks.get(CheckConfig.TIMED_STEPS))
            .withCells(compared())
            .withModel(checks.get(CheckConfig.MODEL_LAYERS), bitsOnly)
            .withSoakSeconds(checks.get(CheckConfig.SOAK_SECONDS))
            .withSamples(checks.get(CheckConfig.SAMPLES))
            .withLimits(new CheckLimits(
                checks.get(CheckLimits.SECTION_SECONDS), checks.get(CheckLimits.SANITIZER_SECONDS)));
    }

    private List<OverheadCell> compared()
    {
        final List<OverheadCell> asked =
            cells == null ? OverheadCell.DEFAULT : cells.stream().map(OverheadCell::parse).toList();
        return checks.isGiven(OverheadCell.MILLIS) ?
            asked.stream().map(cell -> cell.lasting(checks.get(OverheadCell.MILLIS))).toList() : asked;
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
