// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import io.signalbox.cli.CommandEntry;
import picocli.CommandLine.Model.CommandSpec;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Runs the cases of a source one after another, checks each with every oracle, shrinks a failing one, and keeps its
 * files. Faults are distinguished by their complaint, so that one does not mask the others.
 */
final class Fuzzer
{
    private static final int MAX_FINDINGS = 40;
    private static final int MAX_SHRINK_RUNS = 60;

    private final Target target;
    private final Path workingDirectory;
    private final Path kept;
    private final List<Oracle> oracles;
    private final Coverage coverage;
    private final Map<String, Finding> findings = new LinkedHashMap<>();
    private final Map<String, Integer> repeats = new LinkedHashMap<>();
    private long cases;
    private long nanos;

    /**
     * @param workingDirectory of the target; each case gets a directory in it.
     * @param kept             directory for the files of failing cases.
     */
    Fuzzer(final Target target, final Path workingDirectory, final Path kept)
    {
        final CommandSpec model = CommandEntry.model();
        this.target = target;
        this.workingDirectory = workingDirectory;
        this.kept = kept;
        coverage = new Coverage();
        oracles = List.of(
            new EndOracle(), new TextOracle(), new SentenceOracle(model), new ResultOracle(), new CanaryOracle());
    }

    /** Runs the cases of seeds {@code firstSeed} to {@code firstSeed + count - 1}. */
    Fuzzer run(final String name, final CaseSource source, final long firstSeed, final long count) throws IOException
    {
        final long start = System.nanoTime();
        for (long seed = firstSeed; seed < firstSeed + count && findings.size() < MAX_FINDINGS; seed++)
        {
            cases++;
            final FuzzCase made = source.next(new SplittableRandom(seed));
            final List<String> complaints = run(made, null);
            if (!complaints.isEmpty())
            {
                keep(name, seed, made, complaints);
            }
        }
        nanos += System.nanoTime() - start;
        System.out.printf("%s: %d cases from seed %d, %.0f per second, %d kinds of findings%n",
            name, cases, firstSeed, casesPerSecond(), findings.size());
        return this;
    }

    private void keep(final String name, final long seed, final FuzzCase made, final List<String> complaints)
        throws IOException
    {
        final Finding first = new Finding(name, seed, List.of(), made.story(), complaints, kept);
        if (repeats.merge(first.signature(), 1, Integer::sum) > 1)
        {
            return;
        }
        final FuzzCase small = shrink(made, complaints);
        final Path files = kept.resolve(name.replaceAll("\\W", "-") + "-" + seed);
        FileTrees.delete(files);
        final List<String> again = run(small, files);
        final Finding finding = new Finding(name, seed, small.arguments(files), small.story(),
            again.isEmpty() ? complaints : again, files);
        findings.put(first.signature(), finding);
        Files.createDirectories(files);
        Files.writeString(files.resolve("finding.txt"), finding.text());
        Files.write(files.resolve("arguments"), String.join("\0", finding.arguments()).getBytes(StandardCharsets.UTF_8));
        System.err.println(finding.text());
    }

    /** Greedy: the first smaller case with the same complaint takes the place of the one before. */
    private FuzzCase shrink(final FuzzCase made, final List<String> complaints) throws IOException
    {
        // Each hang costs its whole time bound, and a process.
        final boolean costly = complaints.get(0).startsWith("hang");
        FuzzCase smallest = made;
        int runs = costly ? MAX_SHRINK_RUNS - 4 : 0;
        boolean smaller = true;
        while (smaller && runs < MAX_SHRINK_RUNS)
        {
            smaller = false;
            for (final FuzzCase candidate : smallest.smaller())
            {
                runs++;
                final List<String> still = runs > MAX_SHRINK_RUNS ? List.of() : run(candidate, null);
                if (!still.isEmpty() && kind(still).equals(kind(complaints)))
                {
                    smallest = candidate;
                    smaller = true;
                    break;
                }
            }
        }
        return smallest;
    }

    private static String kind(final List<String> complaints)
    {
        return complaints.get(0).substring(0, Math.min(24, complaints.get(0).length()));
    }

    /** @param keptFiles directory for a copy of the files as they were before the command; null for no copy. */
    private List<String> run(final FuzzCase made, final Path keptFiles) throws IOException
    {
        final Path directory = workingDirectory.resolve("case");
        FileTrees.delete(directory);
        Files.createDirectories(directory);
        made.prepare(directory);
        final List<String> arguments = made.arguments(directory);
        if (keptFiles != null)
        {
            FileTrees.copy(directory, keptFiles);
        }
        final Tree before = Tree.of(workingDirectory);
        final Outcome outcome;
        try
        {
            made.begin();
            outcome = target.run(arguments);
        }
        finally
        {
            made.conclude();
        }
        final Tree after = Tree.of(workingDirectory);
        coverage.count(arguments, outcome);
        final Observation seen = new Observation(
            arguments, made.exitCodes(), directory, workingDirectory, outcome, before, after);
        final List<String> complaints = new ArrayList<>();
        for (final Oracle oracle : oracles)
        {
            if (made.keepsFiles() || !(oracle instanceof CanaryOracle))
            {
                complaints.addAll(oracle.complaints(seen));
            }
        }
        if (seen.returned())
        {
            complaints.addAll(made.check(directory, outcome, target));
        }
        for (final Path added : before.addedIn(after))
        {
            if (!added.startsWith(directory))
            {
                FileTrees.delete(added);
            }
        }
        FileTrees.delete(directory);
        return complaints;
    }

    List<Finding> findings()
    {
        return List.copyOf(findings.values());
    }

    Coverage coverage()
    {
        return coverage;
    }

    private double casesPerSecond()
    {
        return cases * 1e9 / Math.max(1, nanos);
    }

    /** Findings, each once, with how often each was seen. */
    String report()
    {
        final StringBuilder text = new StringBuilder(
            "%d cases, %.0f per second, %d kinds of findings%n".formatted(cases, casesPerSecond(), findings.size()));
        findings.forEach((signature, finding) ->
            text.append(repeats.get(signature)).append(" times: ").append(finding.text()));
        return text.toString();
    }
}
