// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import io.signalbox.DocumentSchema;
import io.signalbox.cuda.check.CheckFigure;
import io.signalbox.cuda.check.SectionResult;
import io.signalbox.cuda.driver.CudaAvailability;
import io.signalbox.cuda.driver.CudaDevice;
import io.signalbox.files.AtomicFile;
import io.signalbox.files.FileFault;
import io.signalbox.printing.Decimals;
import io.signalbox.printing.JsonDocument;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/** The file with the figures of a GPU check; whole at any moment, since each version replaces the one before. */
public final class GpuReportFile
{
    private final Path file;
    private final List<String> arguments;
    private final long seed;
    private final Map<String, String> machine;
    private final Instant started = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    /** @param file {@code null} if none is asked for. */
    public GpuReportFile(final Path file, final List<String> arguments, final long seed, final Map<String, String> machine)
    {
        this.machine = machine;
        this.file = file;
        this.seed = seed;
        this.arguments = List.copyOf(arguments);
    }

    public void write(final CudaAvailability found, final List<SectionResult> results, final State state)
    {
        if (file == null)
        {
            return;
        }
        try (AtomicFile next = AtomicFile.of(file))
        {
            next.write(text(found, results, state).getBytes(StandardCharsets.UTF_8));
            next.publish();
        }
        catch (final IOException e)
        {
            throw FileFault.unwritten("--json-file", file, "file", e);
        }
    }

    public String text(final CudaAvailability found, final List<SectionResult> results, final State state)
    {
        return JsonDocument.text(new GpuDocument(started, arguments, seed, state, found.message(), found.devices(), machine,
            results.stream().map(Section::of).toList()));
    }

    /** The answer of a probe, which checks nothing. */
    public static String probe(final CudaAvailability found)
    {
        return JsonDocument.text(new ProbeDocument(found.ready(), found.message(), found.devices()));
    }

    /**
     * {@code gpu --json}, and {@code gpu --json-file}, whose file is written anew after each section.
     *
     * @param started   wall-clock time of the start, UTC
     * @param arguments the command line
     * @param seed      seed of the random inputs
     * @param state     state of the check; {@code stopped} if a section did not end in time
     * @param driver    the driver's version and its GPUs
     * @param devices   the GPUs
     * @param machine   facts about machine and driver
     * @param sections  sections of the check
     */
    @DocumentSchema("signalbox.gpu/1")
    public record GpuDocument(
        Instant started,
        List<String> arguments,
        long seed,
        State state,
        String driver,
        List<CudaDevice> devices,
        Map<String, String> machine,
        List<Section> sections)
    {
    }

    /**
     * {@code gpu --probe --json}.
     *
     * @param ready   whether a GPU can be used
     * @param driver  the driver's version and its GPUs, or what is missing
     * @param devices the GPUs
     */
    @DocumentSchema("signalbox.gpu-probe/1")
    public record ProbeDocument(boolean ready, String driver, List<CudaDevice> devices)
    {
    }

    /**
     * A section of the check.
     *
     * @param name    the section
     * @param purpose what it checks or measures
     * @param verdict {@code passed}, {@code failed}, {@code not run} or {@code running}
     * @param note    what it found
     * @param seconds its duration
     * @param figures its figures
     */
    record Section(
        String name, String purpose, String verdict, String note, BigDecimal seconds, List<CheckFigure> figures)
    {
        private static Section of(final SectionResult result)
        {
            return new Section(result.section().label(), result.section().purpose(), GpuReport.verdict(result.verdict()),
                result.note(), Decimals.fixed(result.seconds(), 3), result.figures());
        }
    }

    /** Progress of the check when the file was written. */
    public enum State
    {
        RUNNING,
        /** A section did not end in time, and the check with it. */
        STOPPED,
        ENDED
    }
}
