// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.FinishReason;
import io.signalbox.engine.TokenListener;
import io.signalbox.server.text.AnswerText;

import java.util.Arrays;

/** One answer to one prompt, as its tokens come. Its generation guards the fields. */
final class ServedAnswer implements TokenListener
{
    private final Generation generation;
    private final int index;
    private final int[] prompt;
    private final int[] ends;
    private final int minTokens;
    private final AnswerText text;
    private final StringBuilder whole = new StringBuilder();
    private CompletionHandle handle;
    private int tokens;
    /** Tokens whose text was handed on. */
    private int shown;
    private String finishReason;
    /** A string or a token; {@code null}: neither ended the answer. */
    private Object stopReason;

    /** @param ends the tokens that end the answer. */
    ServedAnswer(final Generation generation, final int index, final int[] prompt, final int[] ends, final int minTokens,
        final AnswerText text)
    {
        this.generation = generation;
        this.index = index;
        this.prompt = prompt;
        this.ends = ends;
        this.minTokens = minTokens;
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
            if (finishReason != null)
            {
                return;
            }
            final StringBuilder news = new StringBuilder();
            for (int i = from; i < to && text.stop() == null; i++)
            {
                tokens = i + 1;
                if (!isEnd(request.token(i)))
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
                finish("stop", news.toString());
                // What the engine computes beyond the stop string is for nobody.
                request.cancel();
            }
        }
    }

    /** The engine ends a request at such a token, and clients do not see its text. */
    private boolean isEnd(final int token)
    {
        return tokens > minTokens && Arrays.stream(ends).anyMatch(end -> end == token);
    }

    @Override
    public void onEnd(final CompletionHandle request, final Completion completion)
    {
        synchronized (generation)
        {
            if (finishReason != null)
            {
                return;
            }
            if (completion.isRefused())
            {
                generation.fail(ApiError.refused(completion.refusal().orElseThrow()));
                return;
            }
            if (completion.reason() == FinishReason.FAILED)
            {
                generation.fail(ApiError.of(ApiError.INTERNAL, "request " + completion.requestId() +
                    " failed: its steps failed, or every rank is lost"));
                return;
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
        final boolean isOwn = stopReason instanceof Integer &&
            Arrays.stream(modelEnds).anyMatch(end -> end == (Integer)stopReason);
        return isOwn ? null : stopReason;
    }
}
