// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.StateDigest;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.testkit.ContextModel;

import java.time.Duration;
import java.util.Arrays;

/** Requests that are a function of a key, so that another process knows their tokens and rows. The key travels with them. */
public final class KeyedRequests
{
    /** A step with this token fails on the backend of {@link #config}; no model samples it. */
    static final int POISON = ContentModel.VOCABULARY;
    private static final int ENDS = 24;
    private static final int POISON_EVERY = 40;

    /** How a request may end, if new weights do not end it. */
    public enum End
    {
        /** By its length, or by a stop token after its least length. */
        OWN,
        DEADLINE,
        /** Its client stops it after a token. */
        CLIENT,
        /** Its steps fail. */
        POISON,
        REFUSED
    }

    private final Ask ask;
    private final End end;
    private final int least;
    private final int[] stops;

    private KeyedRequests(final Ask ask, final End end, final int least, final int... stops)
    {
        this.ask = ask;
        this.end = end;
        this.least = least;
        this.stops = stops;
    }

    /** Prompts of a few families, so that they share prefixes; every second request wants its rows. */
    public static KeyedRequests of(final int key)
    {
        final int[] prompt = new int[1 + Math.floorMod(key * 13, 40)];
        Arrays.setAll(prompt, i -> (i * 7 + key % 3) % ContentModel.VOCABULARY);
        prompt[prompt.length - 1] = key % ContentModel.VOCABULARY;
        return new KeyedRequests(new Ask(prompt, 1 + key % 11, key % 2 == 0 ? 0 : -1, 0), End.OWN, 0);
    }

    /** The same requests, of which a part ends in other ways. */
    public static KeyedRequests ending(final int key)
    {
        final KeyedRequests plain = of(key);
        final int[] answer = plain.generated();
        final int last = answer.length - 1;
        final int[] prompt = plain.ask.prompt();
        if (key % POISON_EVERY == 13)
        {
            prompt[prompt.length - 1] = POISON;
            return new KeyedRequests(plain.ask, End.POISON, 0);
        }
        switch (key % ENDS)
        {
            case 2, 3, 14, 15:
                return new KeyedRequests(plain.ask, End.OWN, 0, answer[last / 2], answer[last]);
            case 6, 7, 18, 19:
                return new KeyedRequests(plain.ask, End.OWN, last, answer[0], answer[last]);
            case 10:
                return new KeyedRequests(plain.ask, End.DEADLINE, 0);
            case 11:
                return new KeyedRequests(plain.ask, End.CLIENT, 0);
            case 17:
                return new KeyedRequests(
                    new Ask(Arrays.copyOf(prompt, 1000), 1, -1, 0), End.REFUSED, 0);
            default:
                return plain;
        }
    }

    public static EngineConfig config(final int depth, final int draftTokens)
    {
        return new EngineConfig()
            .scheduler(Incarnation.config(depth).draftTokens(draftTokens).digestInterval(64).backOffNanos(1_000).build())
            .backend(new ContentBackend(depth, true).failing(POISON).drafting(draftTokens)).ingressSlots(64).trackSlots(64);
    }

    /** An engine on a device that takes a while for each step, fails steps and loses ranks. */
    public static EngineConfig faultyConfig(final long stepNanos)
    {
        return new EngineConfig().scheduler(Incarnation.config(2).digestInterval(4096).maxFailures(1000).build())
            .backend(new ContentBackend(2, true).faulty(stepNanos)).rankResets(1000);
    }

    public CompletionRequest keyed(final int key)
    {
        final CompletionRequest request = ask.request().conversation(key).stopAt(stops).minNewTokens(least);
        return end == End.DEADLINE ? request.deadline(Duration.ofMillis(1 + key % 7)) : request;
    }

    public End end()
    {
        return end;
    }

    public boolean wantsRows()
    {
        return ask.rowsFrom() >= 0;
    }

    /** Its answer if the request ends by itself. */
    public int[] generated()
    {
        final int prompt = ask.prompt().length;
        final int[] tokens = tokens();
        return Arrays.copyOfRange(tokens, prompt, tokens.length);
    }

    private int[] tokens()
    {
        final int[] prompt = ask.prompt();
        final int[] tokens = Arrays.copyOf(prompt, prompt.length + ask.maxNewTokens());
        long context = 0;
        for (int i = 0; i < tokens.length; i++)
        {
            final int answered = i - prompt.length;
            tokens[i] = answered < 0 ? prompt[i] : allowed(ContentModel.next(context), answered);
            if (answered >= least && stopsAt(tokens[i]))
            {
                return Arrays.copyOf(tokens, i + 1);
            }
            context = ContentModel.context(context, tokens[i]);
        }
        return tokens;
    }

    /** The token of the model, or the next one that is not left out. */
    private int allowed(final int token, final int answered)
    {
        int next = token;
        while (answered < least && stopsAt(next))
        {
            next = (next + 1) % ContentModel.VOCABULARY;
        }
        return next;
    }

    private boolean stopsAt(final int token)
    {
        return Arrays.stream(stops).anyMatch(stop -> stop == token);
    }

    /** Rows of the request, which wants all, if any. */
    public int rowCount()
    {
        return ask.prompt().length + generated().length - 1;
    }

    /** Digest of the rows that the request must have. */
    public long rowsDigest()
    {
        final int[] tokens = tokens();
        long digest = 0;
        long context = 0;
        for (int position = 0; position < rowCount(); position++)
        {
            context = ContentModel.context(context, tokens[position]);
            for (int i = 0; i < ContentModel.SHAPE.rowIds(); i++)
            {
                digest = StateDigest.mix(digest,
                    ContentModel.expert(context, i / ContentModel.SHAPE.topK(), i % ContentModel.SHAPE.topK()));
                digest = StateDigest.mix(digest, Float.floatToRawIntBits(ContextModel.combineWeight(context, i)));
            }
        }
        return digest;
    }

    /** The same digest of rows with their combine weights. */
    public static long digest(final RoutedExperts rows)
    {
        long digest = 0;
        final short[] ids = rows.ids();
        final float[] weights = rows.combineWeights();
        for (int i = 0; i < ids.length; i++)
        {
            digest = StateDigest.mix(digest, ids[i]);
            digest = StateDigest.mix(digest, Float.floatToRawIntBits(weights[i]));
        }
        return digest;
    }
}
