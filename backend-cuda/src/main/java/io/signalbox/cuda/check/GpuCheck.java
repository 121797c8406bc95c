// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.InvariantViolation;
import io.signalbox.cuda.driver.CudaDriver;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Runs the sections that are asked for, on one device. */
public final class GpuCheck
{
    private final CudaDriver driver;
    private final Map<GpuSection, CheckSection> sections;

    /** @param driver loaded and initialised. */
    public GpuCheck(final CudaDriver driver)
    {
        this(driver, sections(CheckOracle.JAVA, System.getenv().getOrDefault("PATH", "")));
    }

    GpuCheck(final CudaDriver driver, final Map<GpuSection, CheckSection> sections)
    {
        this.driver = driver;
        this.sections = new EnumMap<>(sections);
    }

    /** @param searchPath where the section that needs another program looks for it. */
    static Map<GpuSection, CheckSection> sections(final CheckOracle oracle, final String searchPath)
    {
        final Map<GpuSection, CheckSection> sections = new EnumMap<>(GpuSection.class);
        sections.put(GpuSection.DEVICE, new DeviceSection());
        sections.put(GpuSection.ROUTERS, new RoutersSection(oracle));
        sections.put(GpuSection.CAPTURE_FORMS, new CaptureFormsSection(oracle));
        sections.put(GpuSection.GRAPH, new GraphSection());
        sections.put(GpuSection.STEPS, new StepsSection(oracle));
        sections.put(GpuSection.LINK, new LinkSection());
        sections.put(GpuSection.LATENCY, new LatencySection());
        sections.put(GpuSection.LAUNCHES, new LaunchesSection());
        sections.put(GpuSection.OVERHEAD, new OverheadSection());
        sections.put(GpuSection.SANITIZER, new SanitizerSection(searchPath));
        return sections;
    }

    /**
     * Never throws for what a section finds or for what the driver answers: that makes a section a failed one, and the
     * next is run.
     *
     * @return one result per section, in order.
     */
    public List<SectionResult> run(final CheckOptions options, final CheckProgress progress)
    {
        final List<SectionResult> results = new ArrayList<>();
        try (CheckDevice device = new CheckDevice(driver, options.device()))
        {
            for (final Map.Entry<GpuSection, CheckSection> section : sections.entrySet())
            {
                if (options.sections().contains(section.getKey()))
                {
                    progress.onStart(section.getKey());
                    final SectionResult result = run(section.getKey(), section.getValue(), device, options);
                    results.add(result);
                    progress.onResult(result);
                }
            }
        }
        // The device could not be opened, or not be given back: after an error of a kernel every call answers with it.
        catch (final RuntimeException e)
        {
            final Findings findings = new Findings();
            findings.failed(sentence(e));
            final SectionResult result = findings.result(GpuSection.DEVICE, 0.0);
            results.add(result);
            progress.onResult(result);
        }
        return results;
    }

    private static SectionResult run(
        final GpuSection name, final CheckSection section, final CheckDevice device, final CheckOptions options)
    {
        final Findings findings = new Findings();
        final long startNanos = System.nanoTime();
        try
        {
            section.run(device, options, findings);
        }
        // An old driver lacks calls, which shows when they are made.
        catch (final RuntimeException | LinkageError | InvariantViolation e)
        {
            findings.failed(sentence(e));
        }
        return findings.result(name, (System.nanoTime() - startNanos) / 1e9);
    }

    private static String sentence(final Throwable e)
    {
        final String message = e.getMessage() == null ? e.toString() : e.getMessage();
        return message.endsWith(".") ? message : message + ".";
    }
}
