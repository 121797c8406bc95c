// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.AnswerFile;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.StopNotice;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.ForeignCall;
import io.signalbox.engine.OrderedRequests;

import java.nio.file.Path;

/**
 * Writes the finished answers and says what there is when a user stops a run with Ctrl-C or a signal, from its construction
 * on; a file of answers that has none yet is removed.
 */
final class StoppedRun implements AutoCloseable
{
    private final Console console;
    /** {@code null}: none is written. */
    private final AnswerFile file;
    private final Path output;
    private final Thread hook;
    private volatile OrderedRequests run;
    private volatile Path journal;

    StoppedRun(final Console console, final AnswerFile file, final Path output)
    {
        this.console = console;
        this.file = file;
        this.output = output;
        hook = new Thread(this::stop, "stopped-run");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** From this call on, a stopped process leaves a journal that is not closed. */
    void journal(final Path value)
    {
        journal = value;
    }

    /** From this call on, there may be answers. */
    void run(final OrderedRequests value)
    {
        run = value;
    }

    private void stop()
    {
        if (run != null)
        {
            finishAnswers(run);
        }
        if (file != null)
        {
            file.close();
            console.err().println("signalbox run: stopped before the end; " + (file.hasLines() ?
                "the answers that were finished are in " : "no answer was finished for ") + output + ".");
        }
        if (journal != null)
        {
            console.err().println(StopNotice.text("run", journal));
        }
    }

    /** If a tokenizer does not return, the process must still end. */
    private void finishAnswers(final OrderedRequests stopping)
    {
        try
        {
            new ForeignCall("the last answers are missing").run("the finished answers were not written",
                EngineConfig.CLOSE_TIMEOUT_NANOS.defaultValue(), stopping::stop);
        }
        catch (final RuntimeException e)
        {
            console.err().println("signalbox run: " + e.getMessage());
        }
    }

    @Override
    public void close()
    {
        try
        {
            Runtime.getRuntime().removeShutdownHook(hook);
        }
        catch (final IllegalStateException e)
        {
            // The process is being stopped already, and the hook runs.
            return;
        }
    }
}
