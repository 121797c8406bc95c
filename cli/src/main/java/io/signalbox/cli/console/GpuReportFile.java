// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.cuda.check.CheckFigure;
import io.signalbox.cuda.check.SectionResult;
import io.signalbox.cuda.driver.CudaAvailability;
import io.signalbox.cuda.driver.CudaDevice;
import io.signalbox.files.AtomicFile;
import io.signalbox.files.FileFault;
import io.signalbox.printing.Decimals;
import io.signalbox.printing.Json;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
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
        return Json.text("signalbox.gpu/1", json ->
        {
            json.writeStringField("started", started.toString());
            writeArguments(json);
            json.writeNumberField("seed", seed);
            json.writeStringField("state", state.name().toLowerCase(Locale.ROOT));
            json.writeStringField("driver", found.message());
            writeDevices(json, found.devices());
            json.writeObjectFieldStart("machine");
            for (final Map.Entry<String, String> fact : machine.entrySet())
            {
                json.writeStringField(fact.getKey(), fact.getValue());
            }
            json.writeEndObject();
            json.writeArrayFieldStart("sections");
            for (final SectionResult result : results)
            {
                writeSection(json, result);
            }
            json.writeEndArray();
        });
    }

    private void writeArguments(final JsonGenerator json) throws IOException
    {
        json.writeArrayFieldStart("arguments");
        for (final String argument : arguments)
        {
            json.writeString(argument);
        }
        json.writeEndArray();
    }

    /** The answer of a probe, which checks nothing. */
    public static String probe(final CudaAvailability found)
    {
        return Json.text("signalbox.gpu-probe/1", json ->
        {
            json.writeBooleanField("ready", found.ready());
            json.writeStringField("driver", found.message());
            writeDevices(json, found.devices());
        });
    }

    private static void writeDevices(final JsonGenerator json, final List<CudaDevice> devices) throws IOException
    {
        json.writeArrayFieldStart("devices");
        for (final CudaDevice device : devices)
        {
            json.writeStartObject();
            json.writeNumberField("ordinal", device.ordinal());
            json.writeStringField("name", device.name());
            json.writeNumberField("memoryBytes", device.memoryBytes());
            json.writeStringField("computeCapability", device.computeCapability());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void writeSection(final JsonGenerator json, final SectionResult result) throws IOException
    {
        json.writeStartObject();
        json.writeStringField("name", result.section().label());
        json.writeStringField("purpose", result.section().purpose());
        json.writeStringField("verdict", GpuReport.verdict(result.verdict()));
        json.writeStringField("note", result.note());
        Json.decimal(json, "seconds", Decimals.fixed(result.seconds(), 3));
        json.writeArrayFieldStart("figures");
        for (final CheckFigure figure : result.figures())
        {
            json.writeStartObject();
            json.writeStringField("name", figure.name());
            Json.real(json, "value", figure.value());
            json.writeStringField("unit", figure.unit());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
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
