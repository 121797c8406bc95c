// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import io.signalbox.ConfigException;
import io.signalbox.cuda.check.CheckConfig;
import io.signalbox.cuda.check.CheckFigure;
import io.signalbox.cuda.check.CheckOutcome;
import io.signalbox.cuda.check.CheckProgress;
import io.signalbox.cuda.check.CheckVerdict;
import io.signalbox.cuda.check.GpuSection;
import io.signalbox.cuda.check.SectionResult;
import io.signalbox.cuda.driver.CudaAvailability;
import io.signalbox.printing.Decimals;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Prints the table of a GPU check section by section, and keeps the file up to date. */
public final class GpuReport implements CheckProgress
{
    private static final int DIGITS = 3;

    private final Console console;
    private final GpuReportFile file;
    private final CudaAvailability found;
    private final Progress progress;
    private final boolean asJson;
    private int sections;
    private final List<SectionResult> results = new ArrayList<>();

    /** @param asJson prints the document of the file at the end, instead of the table section by section. */
    public GpuReport(
        final Console console,
        final GpuReportFile file,
        final CudaAvailability found,
        final Progress progress,
        final boolean asJson)
    {
        this.console = console;
        this.file = file;
        this.found = found;
        this.progress = progress;
        this.asJson = asJson;
    }

    /** Prints the parameters that reproduce the run, before any section can fail. */
    public void begin(final CheckConfig asked)
    {
        file.write(found, results, GpuReportFile.State.RUNNING);
        sections = asked.sections().size();
        if (!asJson)
        {
            console.out().printf("%s, seed %d%n", found.devices().get(asked.device()).name(), asked.seed());
            console.out().flush();
        }
    }

    @Override
    public synchronized void onStart(final GpuSection section)
    {
        progress.showNow(results.size(), sections, section.label() + ": " + section.purpose());
    }

    /** Updates only the file; the table shows each section once. A late result of an abandoned section is ignored. */
    @Override
    public synchronized void onPart(final SectionResult soFar)
    {
        if (results.stream().anyMatch(result -> result.section() == soFar.section()))
        {
            return;
        }
        final List<SectionResult> withPart = new ArrayList<>(results);
        withPart.add(soFar);
        keep(withPart);
    }

    @Override
    public synchronized void onResult(final SectionResult result)
    {
        progress.wipe();
        results.add(result);
        if (!asJson)
        {
            print(result);
        }
        console.out().flush();
        keep(results);
    }

    /** A full disk stops no section; the last version reports whether the disk is still full. */
    private void keep(final List<SectionResult> soFar)
    {
        try
        {
            file.write(found, soFar, GpuReportFile.State.RUNNING);
        }
        catch (final ConfigException e)
        {
            console.err().println(e.getMessage());
        }
    }

    private void print(final SectionResult result)
    {
        console.out().printf("%-14s %-8s %7s s  %s%n", result.section().label(), verdict(result.verdict()),
            Decimals.text(result.seconds(), 1), result.note());
        for (final CheckFigure figure : result.figures())
        {
            console.out().printf("  %-60s %14s %s%n", figure.name(), value(figure), figure.unit());
        }
    }

    private static String value(final CheckFigure figure)
    {
        final boolean whole = figure.value() == Math.rint(figure.value()) && Math.abs(figure.value()) < 1L << 53;
        if (whole)
        {
            return Decimals.grouped((long)figure.value());
        }
        return Double.isFinite(figure.value()) ? Decimals.text(figure.value(), DIGITS) : Double.toString(figure.value());
    }

    private void printSum(final List<SectionResult> all)
    {
        final long failed = all.stream().filter(result -> result.verdict() == CheckVerdict.FAILED).count();
        final long notRun = all.stream().filter(result -> result.verdict() == CheckVerdict.NOT_RUN).count();
        final double seconds = all.stream().mapToDouble(SectionResult::seconds).sum();
        console.out().printf("%d sections: %d passed, %d failed, %d not run; %s s%n",
            all.size(), all.size() - failed - notRun, failed, notRun, Decimals.text(seconds, 1));
    }

    /** A check without failures is a success, even if a section did not run. */
    public static int exitCode(final List<SectionResult> results)
    {
        return results.stream().anyMatch(result -> result.verdict() == CheckVerdict.FAILED)
            ? ExitCode.CHECK_FAILED : ExitCode.OK;
    }

    static String verdict(final CheckVerdict verdict)
    {
        return verdict.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** @throws ConfigException if the file cannot be written, once the table is whole. */
    public synchronized int conclude(final CheckOutcome outcome)
    {
        final List<SectionResult> all = outcome.results();
        final GpuReportFile.State state = outcome.stopped() ? GpuReportFile.State.STOPPED : GpuReportFile.State.ENDED;
        if (asJson)
        {
            console.out().print(file.text(found, all, state));
        }
        else
        {
            printSum(all);
        }
        console.out().flush();
        file.write(found, all, state);
        return exitCode(all);
    }
}
