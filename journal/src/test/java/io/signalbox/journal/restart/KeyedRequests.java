// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.StateDigest;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.testkit.ContextModel;

import java.util.Arrays;

/** Requests that are a function of a key, so that another process knows their tokens and rows. The key travels with them. */
public final class KeyedRequests
{
    private final Ask ask;

    private KeyedRequests(final Ask ask)
    {
        this.ask = ask;
    }

    /** Prompts of a few families, so that they share prefixes; every second request wants its rows. */
    public static KeyedRequests of(final int key)
    {
        final int[] prompt = new int[1 + Math.floorMod(key * 13, 40)];
        Arrays.setAll(prompt, i -> (i * 7 + key % 3) % ContentModel.VOCABULARY);
        prompt[prompt.length - 1] = key % ContentModel.VOCABULARY;
        return new KeyedRequests(new Ask(prompt, 1 + key % 11, key % 2 == 0 ? 0 : -1, 0));
    }

    public static EngineConfig config()
    {
        return new EngineConfig().scheduler(Incarnation.config(2).digestInterval(64).build())
            .backend(new ContentBackend(2, true)).ingressSlots(64).trackSlots(64);
    }

    /** An engine on a device that takes a while for each step, fails steps and loses ranks. */
    public static EngineConfig faultyConfig(final long stepNanos)
    {
        return new EngineConfig().scheduler(Incarnation.config(2).digestInterval(4096).maxFailures(1000).build())
            .backend(new ContentBackend(2, true).faulty(stepNanos)).rankResets(1000);
    }

    public CompletionRequest keyed(final int key)
    {
        return ask.request().conversation(key);
    }

    public boolean wantsRows()
    {
        return ask.rowsFrom() >= 0;
    }

    public int[] generated()
    {
        return ContentModel.generated(ask, ask.maxNewTokens());
    }

    /** Rows of the request, which wants all, if any. */
    public int rowCount()
    {
        return ask.prompt().length + ask.maxNewTokens() - 1;
    }

    /** Digest of the rows that the request must have. */
    public long rowsDigest()
    {
        final int[] tokens = ContentModel.tokens(ask);
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
