// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** One run over files of vectors: tells for each what came of it, and does not take having checked nothing for success. */
final class VectorRun
{
    private static final String FAMILY = "megatron-";
    private static final List<TraceRunner> RUNNERS = List.of(new MegatronAllocatorTrace(), new MegatronContextTrace());

    private final Consumer<String> out;
    private int compared;

    /** @param out takes the lines that tell what came of each file. */
    VectorRun(final Consumer<String> out)
    {
        this.out = out;
    }

    /** Checks a file; one of another system is passed over. Throws if a record is not reproduced or cannot be read. */
    void check(final String name, final Path file)
    {
        final Outcome outcome;
        try
        {
            final JsonNode header = VectorFiles.header(file);
            if (RouterVectors.recognises(header))
            {
                outcome = new RouterVectors().run(VectorFiles.read(file));
            }
            else if (isForeign(file, header))
            {
                out.accept(name + ": passed over, because its first line is of no format that is known");
                return;
            }
            else
            {
                outcome = trace(file, header);
            }
        }
        catch (final RuntimeException | AssertionError e)
        {
            out.accept(name + ": 0 records, 1 failed");
            throw e;
        }
        report(name, outcome);
    }

    private static Outcome trace(final Path file, final JsonNode header)
    {
        final TraceRunner runner = runner(file, header);
        final List<JsonNode> lines = VectorFiles.read(file);
        if (lines.size() == 1)
        {
            throw new IllegalArgumentException(file + ": no record comes behind the header");
        }
        return runner.run(header, lines.subList(1, lines.size()));
    }

    private void report(final String name, final Outcome outcome)
    {
        compared += outcome.records();
        out.accept(name + ": " + outcome.records() + " records, " + outcome.failed() + " failed");
        outcome.remarks().forEach(remark -> out.accept(name + ": " + remark));
        assertEquals(0, outcome.failed(), () -> name + ", " + outcome.firstDivergence());
    }

    /** A trace of Megatron Core's that has lost its header is none of another system. */
    private static boolean isForeign(final Path file, final JsonNode header)
    {
        if (!header.has("format"))
        {
            if (header.has("t") && header.has("op"))
            {
                throw new IllegalArgumentException(
                    file + ": the first line is a record of a trace; it must be the header, which names the format");
            }
            return true;
        }
        return header.get("format").isTextual() && !header.get("format").textValue().startsWith(FAMILY);
    }

    private static TraceRunner runner(final Path file, final JsonNode header)
    {
        final String format = header.get("format").asText();
        return RUNNERS.stream().filter(known -> known.format().equals(format)).findFirst().orElseThrow(
            () -> new IllegalArgumentException(file + ": format " + header.get("format") + " is not known; known are " +
                RUNNERS.stream().map(TraceRunner::format).toList()));
    }

    /** Behind the last file. */
    void requireThatSomethingWasCompared()
    {
        if (compared == 0)
        {
            throw new AssertionError("no record was compared in the whole run");
        }
    }
}
