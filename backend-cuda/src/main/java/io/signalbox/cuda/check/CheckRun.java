// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.BoundedCall;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceStuckException;
import io.signalbox.cuda.driver.StuckThreads;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * One run of the check. Every section has its own thread and a limit: a thread does not come back from a driver that
 * hangs, so this one never calls it.
 */
final class CheckRun
{
    /** Of the expected duration, which the options determine. */
    private static final double OVERHEAD_LIMIT = 2.5;
    /** For the small models, on a processor in place of a device. */
    private static final double MODEL_SECONDS = 120.0;
    /** Of what is asked for: the last round begins in time, and its journal is verified behind it. */
    private static final double SOAK_LIMIT = 1.5;
    /** Of the large model on a device; Java has another limit. */
    private static final double MODEL_LAYER_SECONDS = 8.0;

    private final CheckConfig options;
    private final CheckProgress progress;
    private final List<SectionResult> results = new ArrayList<>();
    /** The section after which nothing can be run any more, null if there is none. */
    private String stuck;

    CheckRun(final CheckConfig options, final CheckProgress progress)
    {
        this.options = options;
        this.progress = progress;
    }

    CheckOutcome run(final CudaDriver driver, final Map<GpuSection, CheckSection> sections)
    {
        final CheckDevice device = device("the opening of the device", () -> new CheckDevice(driver, options.device()));
        for (final Map.Entry<GpuSection, CheckSection> section : sections.entrySet())
        {
            if (device != null && options.sections().contains(section.getKey()))
            {
                add(stuck == null ? run(section.getKey(), section.getValue(), device) : notRun(section.getKey()));
            }
        }
        if (device != null && stuck == null)
        {
            device("the closing of the device", () ->
            {
                device.makeCurrent();
                device.close();
                return null;
            });
        }
        return new CheckOutcome(results, stuck != null);
    }

    private void add(final SectionResult result)
    {
        results.add(result);
        progress.onResult(result);
    }

    /** If the device cannot be opened or given back, that is a failure of the section {@code device}. */
    private CheckDevice device(final String what, final Supplier<CheckDevice> call)
    {
        final Findings findings = new Findings();
        try
        {
            return BoundedCall.get(what, nanos(options.limits().sectionSeconds()), call);
        }
        catch (final DeviceStuckException e)
        {
            stop(what, e, findings);
        }
        // After an error of a kernel every call answers with it.
        catch (final RuntimeException e)
        {
            findings.failed(Findings.sentence(e));
        }
        add(findings.result(GpuSection.DEVICE, 0.0));
        return null;
    }

    private SectionResult run(final GpuSection name, final CheckSection section, final CheckDevice device)
    {
        progress.onStart(name);
        final long startNanos = System.nanoTime();
        final Findings findings =
            new Findings(soFar -> progress.onPart(soFar.soFar(name, (System.nanoTime() - startNanos) / 1e9)));
        try
        {
            BoundedCall.run("the section " + name.label(), nanos(limitSeconds(name)), () ->
            {
                device.makeCurrent();
                section.run(device, options, findings);
            });
        }
        catch (final DeviceStuckException e)
        {
            stop("the section " + name.label(), e, findings);
        }
        // Errors too: a violated invariant, and symbols that the driver lacks.
        catch (final RuntimeException | Error e)
        {
            findings.failed(Findings.sentence(e));
        }
        return findings.result(name, (System.nanoTime() - startNanos) / 1e9);
    }

    private void stop(final String where, final DeviceStuckException e, final Findings findings)
    {
        stuck = where;
        StuckThreads.leaveDevice();
        findings.failed(Findings.sentence(e));
    }

    private SectionResult notRun(final GpuSection name)
    {
        final Findings findings = new Findings();
        findings.notRun("The device or its driver no longer answers since " + stuck + ".");
        return findings.result(name, 0.0);
    }

    double limitSeconds(final GpuSection section)
    {
        final int least = options.limits().sectionSeconds();
        return switch (section)
        {
            case OVERHEAD -> Math.max(least, OVERHEAD_LIMIT * OverheadSection.expectedSeconds(options));
            case MODEL -> least + MODEL_SECONDS + MODEL_LAYER_SECONDS * options.modelLayers() +
                LargeModel.javaSeconds(options);
            case SOAK -> least + SOAK_LIMIT * options.soakSeconds();
            case SANITIZER -> least + SanitizerSection.mostSeconds(options);
            default -> least;
        };
    }

    private static long nanos(final double seconds)
    {
        return (long)(seconds * TimeUnit.SECONDS.toNanos(1));
    }
}
