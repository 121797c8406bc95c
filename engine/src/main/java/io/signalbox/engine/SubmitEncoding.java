// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.SubmitEncoder;
import io.signalbox.kv.hash.BlockHasher;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;

/** Hashes and encodes the requests of one submitting thread, outside the engine's threads. */
final class SubmitEncoding
{
    final InputWriter writer = new InputWriter();
    private final boolean capture;
    private final int blockSizeTokens;
    private final BlockHasher hasher;
    private final byte[] chain;
    private final int vocabularySize;

    /** @param vocabularySize token ids of the model are below it. */
    SubmitEncoding(final SchedulerConfig config, final int vocabularySize)
    {
        this.vocabularySize = vocabularySize;
        capture = config.capture() != null;
        blockSizeTokens = config.blockSizeTokens();
        hasher = BlockHasher.of(config.blockHash(), blockSizeTokens);
        chain = new byte[hasher.chainBytes()];
    }

    /** Returns the message, complete except for its time and deadline, which the caller sets before it sends the message. */
    SubmitEncoder encode(final CompletionRequest request, final long requestId)
    {
        if (request.rowsFrom() >= 0 && !capture)
        {
            throw new IllegalArgumentException("request " + requestId + " wants routed experts, which this engine does " +
                "not capture; give its SchedulerConfig the model's shape by capture, or submit the request without rows");
        }
        final int[] prompt = request.prompt();
        final byte[] cacheKey = request.cacheKey();
        final UnsafeBuffer hashes = hashes(prompt, cacheKey);
        final UnsafeBuffer tokens = new UnsafeBuffer(new byte[Math.multiplyExact(prompt.length, Integer.BYTES)]);
        for (int i = 0; i < prompt.length; i++)
        {
            if (prompt[i] >= vocabularySize)
            {
                throw unknownToken(requestId, i, prompt[i]);
            }
            tokens.putInt(i * Integer.BYTES, prompt[i], ByteOrder.LITTLE_ENDIAN);
        }
        final Sampling sampling = request.sampling();
        final long seed = sampling.seed() == Sampling.NO_SEED ? requestId : sampling.seed();
        final SubmitEncoder submit = writer.submit();
        submit.requestId(requestId).conversationId(request.conversationId()).predecessorId(-1).thinkTimeNanos(0)
            .deadlineNanos(-1).samplingSeed(seed).promptTokens(prompt.length)
            .maxNewTokens(request.maxNewTokens()).stopTokenId(request.stopTokenId()).rowsFrom(request.rowsFrom())
            .priority(request.priority()).rankHint(request.rankHint()).topK(sampling.topK())
            .temperature(sampling.temperature()).topP(sampling.topP())
            .rankHintRelaxed(request.rankHintRelaxed() ? Flag.YES : Flag.NO)
            .logprobs(sampling.logprobs() ? Flag.YES : Flag.NO);
        submit.putBlockHashes(hashes, 0, hashes.capacity());
        submit.putCacheKey(cacheKey, 0, cacheKey.length);
        submit.putTokens(tokens, 0, tokens.capacity());
        hasher.chain(chain);
        submit.putHashChain(chain, 0, chain.length);
        return submit;
    }

    private IllegalArgumentException unknownToken(final long requestId, final int position, final int token)
    {
        return new IllegalArgumentException("token " + position + " of the prompt of request " + requestId + " is " + token +
            ", but token ids of the model are 0 to " + (vocabularySize - 1) + "; use its tokenizer, or give the engine " +
            "another vocabularySize");
    }

    private UnsafeBuffer hashes(final int[] prompt, final byte[] cacheKey)
    {
        final long[] hashes = new long[prompt.length / blockSizeTokens];
        hasher.hash(prompt, prompt.length, cacheKey, hashes);
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[Math.multiplyExact(hashes.length, Long.BYTES)]);
        for (int i = 0; i < hashes.length; i++)
        {
            bytes.putLong(i * Long.BYTES, hashes[i], ByteOrder.LITTLE_ENDIAN);
        }
        return bytes;
    }
}
