// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import io.signalbox.cli.CommandEntry;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a case and checks it with every oracle; jqwik draws the cases and makes a failing one small. */
final class Fuzzer
{
    private final Target target;
    private final Path workingDirectory;
    private final Path kept;
    private final List<Oracle> oracles = List.of(new EndOracle(), new TextOracle(),
        new SentenceOracle(CommandEntry.model()), new ResultOracle(), new CanaryOracle());

    /**
     * @param workingDirectory of the target; each case gets a directory in it.
     * @param kept             directory for the files of the last case that failed, the smallest of jqwik.
     */
    Fuzzer(final Target target, final Path workingDirectory, final Path kept)
    {
        this.target = target;
        this.workingDirectory = workingDirectory;
        this.kept = kept;
    }

    /** Fails with the command line and the complaints of the case, and keeps its files. */
    void check(final FuzzCase made) throws IOException
    {
        final List<String> complaints = complaints(made);
        if (!complaints.isEmpty())
        {
            FileTrees.delete(kept);
            Files.createDirectories(kept);
            made.prepare(kept);
            final Finding finding = new Finding(made.arguments(kept), made.story(), complaints, kept);
            Files.writeString(kept.resolve("finding.txt"), finding.text());
            Files.write(kept.resolve("arguments"),
                String.join("\0", finding.arguments()).getBytes(StandardCharsets.UTF_8));
            throw new AssertionError(finding.text());
        }
    }

    List<String> complaints(final FuzzCase made) throws IOException
    {
        final Path directory = workingDirectory.resolve("case");
        FileTrees.delete(directory);
        Files.createDirectories(directory);
        made.prepare(directory);
        final List<String> arguments = made.arguments(directory);
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
}
