// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.GpuReportFile;
import io.signalbox.cli.console.PromptAnswer;
import io.signalbox.cli.console.ServedDocument;
import io.signalbox.compare.Figure;
import io.signalbox.cuda.check.CheckFigure;
import io.signalbox.cuda.check.CheckVerdict;
import io.signalbox.cuda.check.GpuSection;
import io.signalbox.cuda.check.SectionResult;
import io.signalbox.cuda.driver.CudaAvailability;
import io.signalbox.cuda.driver.CudaDevice;
import io.signalbox.journal.Difference;
import io.signalbox.journal.DigestComparison;
import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.Verification;
import io.signalbox.journal.Verification.RepeatedVersion;
import io.signalbox.journal.VoidedInput;
import io.signalbox.printing.RecomputeReport.Likeness;
import io.signalbox.recompute.RecomputedRun;
import io.signalbox.recompute.StepDifference;
import io.signalbox.report.ReportListener;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.whatif.WhatIf;
import io.signalbox.whatif.WhatIfReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Compares the fields that docs/json.md describes with the documents of all commands. */
class JsonPageTest
{
    private static final Path PAGE = Path.of(System.getProperty("signalbox.root"), "docs", "json.md");
    private static final Path SCHEMAS = PAGE.resolveSibling("schemas");
    private static final Difference DIFFERENCE = new Difference(
        41, 1, "a", "b", 7, -1, "a", "b", "c", false, "r, version 1");

    private static final DigestComparison DIGESTS =
        new DigestComparison(60, List.of("router"), List.of("requests"));

    private static final RecomputeReport RECOMPUTED = new RecomputeReport(
        new RecomputedRun(5, 40, 40, 0, 4, 0, 1, new StepDifference(
            41, 0, 5, 7, 12, StepDifference.Part.EXPERTS, 2, "5 9", "9 5", 1, 0)),
        List.of(new Likeness("model", null, "a"), new Likeness("kernels", "a", "a"), new Likeness("device", "a", "b")));

    @TempDir
    private Path directory;

    /** Documented fields as patterns, by schema. */
    private static Map<String, Map<String, Pattern>> page(final List<String> lines)
    {
        final Map<String, Map<String, Pattern>> page = new TreeMap<>();
        Map<String, Pattern> section = new TreeMap<>();
        boolean fields = false;
        for (final String line : lines)
        {
            if (line.startsWith("## "))
            {
                section = new LinkedHashMap<>();
                page.put(line.substring(3), section);
            }
            fields = line.equals("| field | meaning |") || fields && line.startsWith("|");
            if (fields && line.matches("\\| `[^`]+` \\| .+ \\|"))
            {
                final String field = line.split("`")[1];
                section.put(field, Pattern.compile(Stream.of(field.split("\\*", -1)).map(Pattern::quote)
                    .collect(Collectors.joining(".+"))));
            }
        }
        return page;
    }

    private static String run(final String... arguments)
    {
        final CommandRun run = CommandRun.of(arguments);
        assertTrue(run.out().startsWith("{"), run.err());
        return run.out();
    }

    /** A block that a request had. */
    private static String block(final String journal)
    {
        final String events = run("inspect", journal, "--events", "--message=Schedule", "--limit=1", "--json");
        return events.replaceFirst("(?s).*?rank=(\\d+).*?blockId=(\\d+).*", "$1:$2");
    }

    private String weightedRows() throws IOException
    {
        final String weighted = directory.resolve("weighted").toString();
        run("simulate", "--conversations=1", "--turns=fixed:1", "--output-tokens=fixed:2", "--combine-weights", "--journal",
            weighted, "--json");
        run("experts", weighted, "--all", "--format=json", "--out", directory.resolve("weights").toString(), "--json");
        return Files.readString(directory.resolve("weights/1.json"));
    }

    private String redacted(final String journal) throws IOException
    {
        final Path key = Files.createFile(
            directory.resolve("key"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(key, new byte[32]);
        return run("redact", journal, directory.resolve("redacted").toString(), "--journal-key", key.toString(), "--json");
    }

    private List<String> moments(final String journal) throws IOException
    {
        return List.of(
            run("snapshot", journal, "--scheduler", "--max-segments=9", "--json"),
            run("runs", directory.toString(), "--json"),
            run("inspect", journal, "--at=100", "--json"),
            run("inspect", journal, "--moment=0.5", "--show=ranks", "--json"),
            run("inspect", journal, "--moment=0.5", "--show=blocks", "--json"),
            run("doctor", journal, "--json"),
            redacted(journal));
    }

    /** The report of an empty run. */
    private static RunDocument reported(final Verdict verdict)
    {
        return RunDocument.of(new ReportListener(SchedulerConfig.builder().build()).report(), verdict == null ? null :
            new JournalFacts(Path.of("a"), 1, 1, 1, "a", verdict), Map.of(), null);
    }

    private List<String> windows(final String journal) throws IOException
    {
        final String served = directory.resolve("served").toString();
        final String lost = directory.resolve("lost").toString();
        return List.of(
            run("run", "--journal", served, "--json"),
            run("inspect", "run", served, "--from=0", "--json"),
            run("simulate", "--conversations", "6", "--limit", "20", "--ranks", "2", "--faults", "rank 1 step 9 lost",
                "--journal", lost, "--json"),
            run("inspect", "run", lost, "--from=0", "--json"),
            run("diff", journal, lost, served, "--json"),
            run("inspect", "faults", lost, "--json"),
            run("inspect", "placements", lost, "--json"),
            run("inspect", "placements", lost, "--show=candidates", "--json"),
            run("inspect", "run", journal, "--from=0.1", "--to=0.5", "--slo=ttft=30ms", "--json"));
    }

    private List<String> documents() throws IOException
    {
        final String journal = directory.resolve("journal").toString();
        final String other = directory.resolve("other").toString();
        CommandRun.of("simulate", "--conversations", "6", "--limit", "20", "--ranks", "3", "--journal", other);
        final List<String> documents = new ArrayList<>(List.of(
            run("simulate", "--conversations", "6", "--limit", "20", "--ranks", "2", "--journal", journal, "--json"),
            run("simulate", "--conversations", "2", "--no-capture", "--no-journal", "--json"),
            run("simulate", "--conversations", "4", "--no-journal", "--faults", "rank * step 9 lost", "--new-weights",
                "continue@1ms", "--tenants", "a=2,b=1", "--slo", "ttft=30ms", "--json"),
            run("compare", "--conversations", "2", "--ranks", "2", "--seeds", "2", "--router", "default", "--json"),
            run("replay", journal, "--recover", "--verify", "--json"),
            run("inspect", journal, "--request", "3", "--json"),
            run("experts", journal, "--request=3", "--format=json", "--out", directory.resolve("rows").toString(), "--json"),
            Files.readString(directory.resolve("rows/3.json")),
            weightedRows(),
            run("inspect", journal, "--json"),
            run("inspect", journal, "--requests", "--json"),
            run("inspect", journal, "--request=3", "--steps", "--json"),
            run("inspect", journal, "--request=3", "--blocks", "--json"),
            run("inspect", journal, "--block=" + block(journal), "--json"),
            run("inspect", journal, "--rank=" + block(journal).split(":")[0], "--json"),
            run("inspect", "series", journal, "--slo=ttft=1s", "--json"),
            run("inspect", journal, "--expert=3", "--json"),
            run("inspect", journal, "--experts", "--json"),
            run("inspect", journal, "--events", "--message=Commit", "--limit=3", "--json"),
            run("timeline", journal, "--out", directory.resolve("run.pftrace").toString(), "--json"),
            run("trace", journal, "--out", directory.resolve("trace.jsonl").toString(), "--json"),
            run("whatif", journal, "--variant", "turns: --router round-robin", "--variant",
                "same: --max-queued 9999", "--seeds=2", "--expert-devices=4", "--from=0.2", "--json"),
            run("diff", journal, journal, "--json"),
            run("diff", journal, other, "--json"),
            run("doctor", "--json"),
            run("simulate", "--list-routers", "--json"), run("compare", "--list-routers", "--json"),
            run("compare", "--incidents", "--router", "default", "--json"),
            run("gpu", "--probe", "--json"),
            run("calibrate", "--score", points(), "--json"),
            run("simulate", "--list-models", "--json")));
        List.of(moments(journal), windows(journal), ofSweep()).forEach(documents::addAll);
        documents.addAll(costs(journal));
        documents.add(JsonDocument.text(RequestDocument.of(Path.of("runs"), InspectionTextTest.INSPECTION)));
        documents.add(notRepeated(Path.of(journal)));
        final Verification different = new Verification(
            42, 41, Ending.OPEN, "0123456789abcdef", List.of(new VoidedInput(3, "a")), DIFFERENCE, DIGESTS);
        documents.add(JsonDocument.text(new ReplayReport(
            Path.of("runs"), null, new VoidedInput(3, "a"), different, RECOMPUTED,
            DifferenceLife.read(Path.of(journal), lived(journal), ReadProgress.NONE)).document()));
        documents.addAll(ofModels());
        documents.add(JsonDocument.text(reported(new Verdict(false, DIFFERENCE, DIGESTS, "a", null))));
        documents.add(JsonDocument.text(reported(new Verdict(false, DIFFERENCE, null, "a", null))));
        documents.addAll(ofGpus());
        return documents;
    }

    private List<String> ofSweep() throws IOException
    {
        final Path sweep = directory.resolve("sweep");
        final String document = run("sweep", "--grid", "router=kv-aware,round-robin", "--limit", "5", "--ranks", "2",
            "--variant", "a: --kv-blocks 4097", "--variant", "b: --lock-step", "--halving", "2", "--baseline", "variant=a",
            "--seeds", "2", "--out", sweep.toString(), "--json");
        return List.of(document, run("sweep", "merge", sweep.resolve("round-0").toString(), "--json"),
            Files.readString(sweep.resolve("round-1/plan.json")));
    }

    private String points() throws IOException
    {
        return Files.writeString(directory.resolve("points.csv"), """
            silicon_data_source,backend,model_path,system,precision,mode,isl,osl,batch_size,tp_size,\
            silicon_ttft_ms,silicon_tpot_ms
            concurrency=32,vllm,openai/gpt-oss-120b,h200_sxm,fp4,agg,1024,1024,32,2,125,10.6
            concurrency=32,vllm,openai/gpt-oss-120b,h200_sxm,fp4,disagg,1024,1024,32,2,125,10.6
            """).toString();
    }

    /** Fits to points and to a journal, and runs that go beyond what they cover. */
    private List<String> costs(final String journal) throws IOException
    {
        final Path table = Files.writeString(directory.resolve("own.csv"),
            "concurrency,isl,osl,ttft_ms,tpot_ms\n1,20,9,60,12\n2,20,9,65,13\n2,40,9,65,13\n");
        final Path cost = directory.resolve("cost.json");
        return List.of(
            run("calibrate", table.toString(), "--out", cost.toString(), "--json"),
            run("calibrate", journal, "--out", directory.resolve("steps.json").toString(), "--json"),
            Files.readString(cost),
            run("simulate", "--conversations", "2", "--no-capture", "--no-journal", "--cost", cost.toString(), "--json"),
            run("whatif", journal, "--cost", cost.toString(), "--json"));
    }

    /** A difference that concerns a request and a block of a journal. */
    private static Difference lived(final String journal)
    {
        final String[] place = block(journal).split(":");
        return new Difference(Long.MAX_VALUE, 1, "[Schedule](of):rank=" + place[0], "b", 3, Integer.parseInt(place[1]), "a",
            "b", "c", false, null);
    }

    private static List<String> ofGpus()
    {
        final CudaAvailability found = new CudaAvailability(
            CudaAvailability.State.READY, "1 GPU.", List.of(new CudaDevice(0, "Fake GPU", 80L << 30, "9.0")));
        return List.of(GpuReportFile.probe(found),
            new GpuReportFile(null, List.of("gpu", "--json"), 1, Map.of("CPU", "fast")).text(found,
                List.of(new SectionResult(GpuSection.LINK, CheckVerdict.PASSED, "Looked at.",
                    List.of(new CheckFigure("link", 53.25, "GB/s")), 1.25)), GpuReportFile.State.ENDED));
    }

    /** Runs of a model, and one that is computed again. */
    private static List<String> ofModels()
    {
        return List.of(
            run("run", "--no-journal", "--json"),
            JsonDocument.text(ServedDocument.of(2, 1, List.of(
                new PromptAnswer("a", 1, null, null, null, null, "it failed", -1, 1)), reported(null))),
            JsonDocument.text(new ReplayReport(Path.of("a"), null, null, new Verification(1, 0, Ending.CLOSED, "", List.of(),
                null, null, 0, 0, List.of(new RepeatedVersion("a", 1, 2, 1)), List.of()), null, null).document()),
            JsonDocument.text(new ReplayReport(Path.of("a"), null, null, null,
                new RecomputeReport(new RecomputedRun(1, 1, 1, 0, 1, 0, 0, null), List.of()), null).document()));
    }

    /** A what-if of a journal, as if it had something that a re-run leaves out. */
    private static String notRepeated(final Path journal)
    {
        try (JournalReader reader = JournalReader.open(journal))
        {
            final WhatIfReport report =
                WhatIf.read(reader, reader.config()).ask(List.of(), 1, 0, 1, (parts, ended, total) -> { });
            return JsonDocument.text(WhatIfDocument.of(journal, new WhatIfReport(
                report.verdict(), report.recorded(), report.unchanged(), List.of(report.unchanged()),
                List.of("a fault"), 0)));
        }
    }

    /** Whether the field is an object or an array that holds the leaf. */
    private static boolean begins(final String field, final String leaf)
    {
        return Stream.of(field.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".+"))
            .transform(pattern -> leaf.matches(pattern + "[.\\[].*"));
    }

    @Test
    void shouldDescribeEveryFieldOfEveryDocumentAndNoOther() throws IOException
    {
        final Map<String, Map<String, Pattern>> page = page(Files.readAllLines(PAGE));
        final TreeSet<String> unused = new TreeSet<>();
        page.forEach((schema, fields) -> fields.keySet().forEach(field -> unused.add(schema + " " + field)));
        final TreeSet<String> undescribed = new TreeSet<>();
        final Map<String, JsonSchema> schemas = schemas();
        final TreeSet<String> invalid = new TreeSet<>();
        for (final String document : documents())
        {
            invalid.addAll(errors(schemas, document));
            final Map<String, String> leaves = JsonText.leaves(document);
            final String schema = leaves.get("schema");
            assertTrue(page.containsKey(schema), "the page has no section " + schema);
            leaves.keySet().stream().map(leaf -> leaf.replaceAll("\\[\\d+]", "[]")).distinct().forEach(leaf ->
            {
                final List<String> described = page.get(schema).entrySet().stream()
                    .filter(field -> field.getValue().matcher(leaf).matches()).map(Map.Entry::getKey).toList();
                page.get(schema).keySet().stream().filter(field -> described.contains(field) || begins(field, leaf))
                    .forEach(field -> unused.remove(schema + " " + field));
                if (described.isEmpty())
                {
                    undescribed.add(schema + " " + leaf);
                }
            });
        }

        assertEquals(new TreeSet<>(), invalid, "differences from docs/schemas");
        assertEquals(new TreeSet<>(), undescribed, "fields that the page does not describe");
        assertEquals(new TreeSet<>(), unused, "fields of the page that no document has");
    }

    /** Errors of a document by the schema file that names it. */
    private static List<String> errors(final Map<String, JsonSchema> schemas, final String document)
    {
        final String schema = JsonText.leaves(document).get("schema");
        return schemas.containsKey(schema) ? schemas.get(schema).validate(document, InputFormat.JSON).stream()
            .map(error -> schema + " " + error.getMessage()).toList() : List.of();
    }

    private static Map<String, JsonSchema> schemas() throws IOException
    {
        final JsonSchemaFactory factory = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);
        final Map<String, JsonSchema> schemas = new TreeMap<>();
        try (Stream<Path> files = Files.list(SCHEMAS))
        {
            for (final Path file : files.toList())
            {
                final JsonSchema schema = factory.getSchema(Files.readString(file));
                schemas.put(schema.getSchemaNode().at("/properties/schema/const").asText(), schema);
            }
        }
        return schemas;
    }

    @Test
    void shouldDescribeEveryFigureOfAComparison() throws IOException
    {
        final String page = Files.readString(PAGE);
        for (final Figure figure : Figure.values())
        {
            assertTrue(page.contains("`" + figure.key() + "`"), figure.key());
        }
    }

    @Test
    void shouldReadFieldsAsPatterns()
    {
        final Map<String, Pattern> fields =
            page(List.of("## a/1", "| field | meaning |", "| `b.*.c[]` | text |", "| `d` | `e` |", "", "| `f` | text |"))
                .get("a/1");

        assertEquals(List.of("b.*.c[]", "d"), List.copyOf(fields.keySet()));
        assertTrue(fields.get("b.*.c[]").matcher("b.x.c[]").matches());
        assertTrue(!fields.get("b.*.c[]").matcher("b.x.c").matches() && !fields.get("d").matcher("e").matches());
    }
}
