// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.FinishReason;
import io.signalbox.engine.RowsDiscardedException;
import io.signalbox.engine.TokenListener;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.server.text.AnswerText;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeoutException;

/** One answer to one prompt, as its tokens come. Its generation guards the fields. */
final class ServedAnswer implements TokenListener
{
    private static final Duration ROWS_WAIT = Duration.ofSeconds(10);

    private final Generation generation;
    private final int index;
    private final int[] prompt;
    private final int[] ends;
    private final int minTokens;
    private final boolean showsEnd;
    private final AnswerText text;
    /** {@code null}: none are wanted. */
    private final RowEncoding.Wanted wantedRows;
    private final StringBuilder whole = new StringBuilder();
    private CompletionHandle handle;
    private int tokens;
    /** Tokens whose text was handed on. */
    private int shown;
    private String finishReason;
    /** A string or a token; {@code null}: neither ended the answer. */
    private Object stopReason;
    /** {@code null}: there are none. */
    private RowEncoding rows;
    /** Of full KV blocks; {@code null}: they are not wanted. */
    private long[] blockHashes;
    private final AnswerSettings settings;

    /** @param ends the tokens that end the answer. */
    ServedAnswer(
        final Generation generation, final int index, final int[] prompt, final int[] ends, final AnswerSettings settings,
        final AnswerText text)
    {
        this.generation = generation;
        this.index = index;
        this.prompt = prompt;
        this.ends = ends;
        minTokens = settings.minTokens();
        showsEnd = settings.textForm().stop();
        wantedRows = settings.rows();
        this.settings = settings;
        this.text = text;
    }

    void follow(final CompletionHandle request)
    {
        handle = request;
    }

    @Override
    public void onTokens(final CompletionHandle request, final int from, final int to)
    {
        synchronized (generation)
        {
            if (finishReason != null || text.stop() != null)
            {
                return;
            }
            final StringBuilder news = new StringBuilder();
            for (int i = from; i < to && text.stop() == null; i++)
            {
                tokens = i + 1;
                if (showsEnd || !isEnd(request.token(i)))
                {
                    news.append(text.add(request.token(i)));
                }
            }
            whole.append(news);
            if (text.stop() == null)
            {
                generation.tokens(this, news.toString());
            }
            else
            {
                stopReason = text.stop();
                if (wantedRows == null)
                {
                    finish("stop", news.toString());
                }
                else
                {
                    // The rows are there when the request has ended.
                    generation.tokens(this, news.toString());
                }
                stop(request);
            }
        }
    }

    /** The answer ends with the token that completed the stop string; what the engine computes beyond it is for nobody. */
    private void stop(final CompletionHandle request)
    {
        if (!request.stopAfter(tokens))
        {
            request.cancel();
        }
    }

    /** The engine ends a request at such a token, whose text clients see on request only. */
    private boolean isEnd(final int token)
    {
        return tokens > minTokens && contains(ends, token);
    }

    private static boolean contains(final int[] all, final int token)
    {
        boolean contains = false;
        for (final int each : all)
        {
            contains |= each == token;
        }
        return contains;
    }

    @Override
    public void onEnd(final CompletionHandle request, final Completion completion)
    {
        synchronized (generation)
        {
            try
            {
                end(request, completion);
            }
            catch (final ApiError e)
            {
                generation.fail(e);
            }
        }
    }

    private void end(final CompletionHandle request, final Completion completion)
    {
        final RoutedExperts taken = wantedRows == null || completion.isRefused() ? null : take(request);
        if (finishReason != null)
        {
            return;
        }
        if (completion.isRefused())
        {
            throw ApiError.refused(completion.refusal().orElseThrow());
        }
        if (completion.reason() == FinishReason.FAILED)
        {
            throw ApiError.of(ApiError.INTERNAL,
                "request " + completion.requestId() + " failed: " + completion.failure().orElseThrow().sentence());
        }
        // No row may be wanted of a request that was computed; its clients then expect an array without rows.
        if (taken != null && (taken.rows() > 0 || tokens > 0 || completion.reason() == FinishReason.LENGTH))
        {
            // The last token was never fed; a prompt alone was fed whole.
            final int fed = prompt.length + Math.max(0, tokens - 1);
            rows = new RowEncoding(taken, 0, fed - taken.start(), wantedRows, generation.hiddenLayers());
            final long[] hashes = generation.keep(this, taken, fed);
            blockHashes = wantedRows.hashes() ? hashes : null;
        }
        final String rest = text.end();
        whole.append(rest);
        if (text.stop() != null)
        {
            stopReason = text.stop();
            finish("stop", rest);
            return;
        }
        if (completion.reason() == FinishReason.STOP)
        {
            stopReason = completion.token(completion.tokenCount() - 1);
        }
        finish(reason(completion.reason()), rest);
    }

    /** The request has ended, so only the engine's room for the release is waited for. */
    private RoutedExperts take(final CompletionHandle request)
    {
        try
        {
            return request.takeRoutedExperts(ROWS_WAIT).orElse(null);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw ApiError.of(ApiError.UNAVAILABLE, "the server stops");
        }
        catch (final TimeoutException | RowsDiscardedException e)
        {
            throw ApiError.of(ApiError.UNAVAILABLE, "the routed experts of request " + request.requestId() +
                " could not be taken: " + e.getMessage());
        }
    }

    /** {@code null}: none were asked for, or there are none. */
    RowEncoding rows()
    {
        return rows;
    }

    /** The position of the first row that is wanted. */
    int rowsFrom()
    {
        return wantedRows.from();
    }

    /** Of full KV blocks; {@code null}: they are not wanted. */
    long[] blockHashes()
    {
        return blockHashes;
    }

    AnswerSettings settings()
    {
        return settings;
    }

    /** The prompt and the tokens that count. */
    int[] sequence()
    {
        final int[] sequence = Arrays.copyOf(prompt, prompt.length + tokens);
        System.arraycopy(handle.tokens(), 0, sequence, prompt.length, tokens);
        return sequence;
    }

    boolean wantsRows()
    {
        return wantedRows != null;
    }

    private void finish(final String reason, final String rest)
    {
        finishReason = reason;
        generation.ended(this, rest);
    }

    private static String reason(final FinishReason reason)
    {
        return switch (reason)
        {
            case STOP -> "stop";
            case LENGTH -> "length";
            default -> "abort";
        };
    }

    @Override
    public void onFailure(final CompletionHandle request, final Throwable cause)
    {
        synchronized (generation)
        {
            generation.fail(ApiError.of(ApiError.UNAVAILABLE, "the engine stopped: " + cause.getMessage()));
        }
    }

    int index()
    {
        return index;
    }

    int[] prompt()
    {
        return prompt;
    }

    CompletionHandle handle()
    {
        return handle;
    }

    /** Tokens that count so far. */
    int tokens()
    {
        return tokens;
    }

    /** The first token that was not handed on; those up to {@link #tokens} are from now on. */
    int show()
    {
        final int from = shown;
        shown = tokens;
        return from;
    }

    /** The text so far. */
    String text()
    {
        return whole.toString();
    }

    /** {@code null} as long as the answer goes on. */
    String finishReason()
    {
        return finishReason;
    }

    /** The stop string or the stop token; {@code null} if neither ended the answer, or the model's own end token did. */
    Object stopReason(final int[] modelEnds)
    {
        final boolean isOwn = stopReason instanceof Integer && contains(modelEnds, (Integer)stopReason);
        return isOwn ? null : stopReason;
    }
}
