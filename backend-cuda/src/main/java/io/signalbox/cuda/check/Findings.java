// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.Quantiles;
import io.signalbox.cuda.driver.DeviceStuckException;

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

    void quantiles(final String name, final double[] sample, final String unit)
    {
        figure(name + ", median", Quantiles.of(sample, 50), unit);
        figure(name + ", 99 % of " + sample.length, Quantiles.of(sample, 99), unit);
        figure(name + ", largest", Quantiles.of(sample, 100), unit);
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

    /**
     * Runs a part of the section, whose duration is a figure. If it throws, it has failed, and the next part can run; a
     * device that does not answer ends the section.
     */
    void part(final String name, final Runnable part)
    {
        final long startNanos = System.nanoTime();
        try
        {
            part.run();
        }
        catch (final DeviceStuckException e)
        {
            throw e;
        }
        // Errors too: a violated invariant, and symbols that the driver lacks.
        catch (final RuntimeException | Error e)
        {
            failed("The part '" + name + "' failed: " + sentence(e));
        }
        figure("time of the part: " + name, (System.nanoTime() - startNanos) / 1e9, "s");
    }

    /** The message of a fault as a sentence. */
    static String sentence(final Throwable e)
    {
        final String message = e.getMessage() == null ? e.toString() : e.getMessage();
        final String sentence = Character.toUpperCase(message.charAt(0)) + message.substring(1);
        final boolean isCall = message.startsWith("cu");
        return (isCall ? message : sentence) + (message.endsWith(".") ? "" : ".");
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
