// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Collects what a section finds. A section that found nothing wrong has passed. The section's thread adds; another reads if
 * the section does not end.
 */
final class Findings
{
    private final List<CheckFigure> figures = new ArrayList<>();
    private CheckVerdict verdict = CheckVerdict.PASSED;
    private String note = "";
    private final Consumer<Findings> reader;

    Findings()
    {
        this(findings -> { });
    }

    /** @param reader of what is {@link #publish}ed, on the section's thread. */
    Findings(final Consumer<Findings> reader)
    {
        this.reader = reader;
    }

    synchronized void figure(final String name, final double value, final String unit)
    {
        figures.add(new CheckFigure(name, value, unit));
    }

    synchronized void count(final String name, final long value)
    {
        figure(name, value, "");
    }

    synchronized void note(final String sentence)
    {
        note = note.isEmpty() ? sentence : note + " " + sentence;
    }

    synchronized void failed(final String sentence)
    {
        verdict = CheckVerdict.FAILED;
        note(sentence);
    }

    /** A failure that was found before stays one. */
    synchronized void notRun(final String sentence)
    {
        verdict = verdict == CheckVerdict.FAILED ? verdict : CheckVerdict.NOT_RUN;
        note(sentence);
    }

    /** Runs a part of the section, whose duration is a figure. */
    void timed(final String name, final Runnable part)
    {
        final long startNanos = System.nanoTime();
        part.run();
        figure("time of the part: " + name, (System.nanoTime() - startNanos) / 1e9, "s");
    }

    /** Makes what was found so far known before the section's end. */
    void publish()
    {
        reader.accept(this);
    }

    /** The findings of a section that is not at its end. */
    synchronized SectionResult soFar(final GpuSection section, final double seconds)
    {
        return new SectionResult(
            section, verdict == CheckVerdict.FAILED ? verdict : CheckVerdict.RUNNING, note, figures, seconds);
    }

    synchronized SectionResult result(final GpuSection section, final double seconds)
    {
        return new SectionResult(section, verdict, note, figures, seconds);
    }
}
