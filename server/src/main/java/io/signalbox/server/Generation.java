// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.experts.RoutedExperts;

import java.util.ArrayList;
import java.util.List;

/** The answers of one HTTP request, from the submission to the end of all of them. Its lock guards all of its answers. */
final class Generation
{
    private final Generations all;
    private final AnswerWriter writer;
    private final String id;
    private final List<ServedAnswer> answers = new ArrayList<>();
    private int open;
    private boolean over;
    private long lastNanos = System.nanoTime();

    /** @param id under which an operator ends it; {@code null}: none. */
    Generation(final Generations all, final AnswerWriter writer, final String id)
    {
        this.id = id;
        this.all = all;
        this.writer = writer;
    }

    /** Layers of the model, dense ones included. */
    int hiddenLayers()
    {
        return all.hiddenLayers();
    }

    /** As {@link Generations#keep}. */
    long[] keep(final ServedAnswer answer, final RoutedExperts rows, final int fed)
    {
        return all.keep(answer, rows, fed, !over);
    }

    void add(final ServedAnswer answer)
    {
        answers.add(answer);
        open++;
    }

    List<ServedAnswer> answers()
    {
        return answers;
    }

    void tokens(final ServedAnswer answer, final String text)
    {
        if (!over)
        {
            lastNanos = System.nanoTime();
            writer.tokens(answer, text);
        }
    }

    void ended(final ServedAnswer answer, final String rest)
    {
        if (over)
        {
            return;
        }
        lastNanos = System.nanoTime();
        writer.ended(answer, rest);
        open--;
        if (open == 0)
        {
            over = true;
            all.over(this);
            writer.allEnded(answers);
        }
    }

    /** Ends all answers with this error. */
    synchronized void fail(final ApiError error)
    {
        if (!over)
        {
            over = true;
            all.over(this);
            writer.failed(error);
            cancel();
        }
    }

    /** The client has left. */
    synchronized void abort()
    {
        if (!over)
        {
            over = true;
            all.over(this);
            cancel();
        }
    }

    String id()
    {
        return id;
    }

    /** Has the engine end the requests; their ends come as usual. */
    synchronized void cancelAll()
    {
        cancel();
    }

    private void cancel()
    {
        for (final ServedAnswer answer : answers)
        {
            final CompletionHandle handle = answer.handle();
            if (handle != null && answer.finishReason() == null)
            {
                handle.cancel();
            }
        }
    }

    /** Keeps the connection alive if nothing was sent since then. */
    synchronized void keepAlive(final long sinceNanos)
    {
        if (!over && lastNanos - sinceNanos < 0)
        {
            lastNanos = System.nanoTime();
            writer.quiet();
        }
    }
}
