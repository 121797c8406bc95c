// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDriver;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Runs the sections that are asked for, on one device. */
public final class GpuCheck
{
    private final CudaDriver driver;
    private final Map<GpuSection, CheckSection> sections;

    /**
     * @param driver loaded and initialised.
     * @param engine what the section that goes through the engine uses.
     */
    public GpuCheck(final CudaDriver driver, final EngineRunner engine)
    {
        this(driver, sections(CheckOracle.JAVA, engine, SanitizerSection.directories(System.getenv())));
    }

    GpuCheck(final CudaDriver driver, final Map<GpuSection, CheckSection> sections)
    {
        this.driver = driver;
        this.sections = new EnumMap<>(sections);
    }

    /** @param tools the directories in which a section looks for another program that it needs. */
    static Map<GpuSection, CheckSection> sections(
        final CheckOracle oracle, final EngineRunner engine, final List<Path> tools)
    {
        final Map<GpuSection, CheckSection> sections = new EnumMap<>(GpuSection.class);
        sections.put(GpuSection.DEVICE, new DeviceSection());
        sections.put(GpuSection.ROUTERS, new ExpertRoutersSection(oracle));
        sections.put(GpuSection.CAPTURE_FORMS, new CaptureFormsSection(oracle));
        sections.put(GpuSection.GRAPH, new GraphSection());
        sections.put(GpuSection.STEPS, new StepsSection(oracle));
        sections.put(GpuSection.RANKS, new RanksSection(oracle));
        sections.put(GpuSection.MODEL, new ModelSection(engine));
        sections.put(GpuSection.PROFILE, new ProfileSection());
        sections.put(GpuSection.LINK, new LinkSection());
        sections.put(GpuSection.LATENCY, new LatencySection());
        sections.put(GpuSection.LAUNCHES, new LaunchesSection());
        sections.put(GpuSection.TURNAROUND, new TurnaroundSection(engine));
        sections.put(GpuSection.OVERHEAD, new OverheadSection());
        sections.put(GpuSection.SOAK, new SoakSection(engine));
        sections.put(GpuSection.SANITIZER, new SanitizerSection(tools));
        return sections;
    }

    /**
     * Never throws for anything that a section finds or that the driver answers: the section has failed, and the next is
     * run. A section that does not end in time is given up with its thread, and no further one is run.
     */
    public CheckOutcome run(final CheckConfig options, final CheckProgress progress)
    {
        return new CheckRun(options, progress).run(driver, sections);
    }
}
