// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.request.Sampling;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.SubmitEncoder;
import io.signalbox.kv.hash.BlockHasher;
import io.signalbox.scheduler.SchedulerConfig;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.LongBuffer;

/** Hashes and encodes the requests of one submitting thread, outside the engine's threads and without garbage. */
final class SubmitEncoding
{
    /** Buffers of a longer prompt are not kept for the next one. */
    private static final int MAX_KEPT_TOKENS = 1 << 15;
    private static final int FIRST_TOKENS = 256;
    /** A prompt of so many tokens is encoded before a thread that was woken ahead sleeps again. */
    private static final int SOON_ENCODED_TOKENS = 512;

    final InputWriter writer = new InputWriter();
    private final boolean capture;
    private final int blockSizeTokens;
    private final BlockHasher hasher;
    private final byte[] chain;
    private final int[] endTokens;
    private final int vocabularySize;
    /** One field of a message at a time: block hashes or tokens. */
    private byte[] field;
    private IntBuffer fieldAsTokens;
    private LongBuffer fieldAsHashes;
    private long[] hashes;

    /**
     * @param vocabularySize token ids of the model are below it.
     * @param endTokens      end an answer, unless its request ignores them.
     */
    SubmitEncoding(final SchedulerConfig config, final int vocabularySize, final int[] endTokens)
    {
        this.endTokens = endTokens;
        this.vocabularySize = vocabularySize;
        capture = config.capture() != null;
        blockSizeTokens = config.blockSizeTokens();
        hasher = BlockHasher.of(config.blockHash(), blockSizeTokens);
        chain = new byte[hasher.chainBytes()];
        makeRoom(FIRST_TOKENS);
    }

    private void makeRoom(final int tokens)
    {
        if (field == null || field.length < bytes(tokens))
        {
            final int room = tokens > MAX_KEPT_TOKENS ? tokens : Math.min(MAX_KEPT_TOKENS, 2 * tokens);
            hashes = new long[room / blockSizeTokens];
            field = new byte[bytes(room)];
            final ByteBuffer buffer = ByteBuffer.wrap(field).order(ByteOrder.LITTLE_ENDIAN);
            fieldAsTokens = buffer.asIntBuffer();
            fieldAsHashes = buffer.asLongBuffer();
        }
    }

    /** Room for the tokens, or for the hashes of their blocks if these take more. */
    private int bytes(final int tokens)
    {
        return Math.max(Math.multiplyExact(tokens, Integer.BYTES),
            Math.multiplyExact(tokens / blockSizeTokens, Long.BYTES));
    }

    /**
     * Returns the message, complete except for its time and deadline, which the caller sets before it sends the message.
     *
     * @param soon told some microseconds before the message is complete.
     */
    SubmitEncoder encode(final CompletionRequest request, final long requestId, final Runnable soon)
    {
        final boolean isShort = request.prompt().length <= SOON_ENCODED_TOKENS;
        if (isShort)
        {
            soon.run();
        }
        final SubmitEncoder submit = encode(request, requestId);
        if (!isShort)
        {
            soon.run();
        }
        return submit;
    }

    /** The same, told to nobody. */
    SubmitEncoder encode(final CompletionRequest request, final long requestId)
    {
        if (request.rowsFrom() >= 0 && !capture)
        {
            throw new IllegalArgumentException("request " + requestId + " wants routed experts, which this engine does " +
                "not capture; give its SchedulerConfig the model's shape by capture, or submit the request without rows");
        }
        final int[] prompt = request.prompt();
        final byte[] cacheKey = request.keyBytes();
        final int[] stopTokens = request.stopTokens(endTokens);
        checkLimits(request, requestId, stopTokens.length);
        checkLength(requestId, prompt.length);
        checkTokens(requestId, prompt);
        makeRoom(prompt.length);
        final Sampling sampling = request.sampling();
        final long seed = sampling.seedOf(requestId);
        final SubmitEncoder submit = writer.submit();
        submit.requestId(requestId).sampleOf(request.sampleOf()).conversationId(request.conversationId())
            .predecessorId(-1).thinkTimeNanos(0).deadlineNanos(-1).samplingSeed(seed).promptTokens(prompt.length)
            .maxNewTokens(request.maxNewTokens()).minNewTokens(request.minNewTokens()).rowsFrom(request.rowsFrom())
            .priority(request.priority()).rankHint(request.hintedRank()).topK(sampling.topK())
            .temperature(sampling.temperature()).topP(sampling.topP())
            .rankHintRelaxed(request.rankHintRelaxed() ? Flag.YES : Flag.NO)
            .logprobs(sampling.logprobs() ? Flag.YES : Flag.NO);
        final int blocks = hasher.hash(prompt, prompt.length, cacheKey, hashes);
        fieldAsHashes.put(0, hashes, 0, blocks);
        submit.putBlockHashes(field, 0, blocks * Long.BYTES);
        submit.putCacheKey(cacheKey, 0, cacheKey.length);
        fieldAsTokens.put(0, prompt, 0, prompt.length);
        submit.putTokens(field, 0, prompt.length * Integer.BYTES);
        hasher.chain(chain);
        submit.putHashChain(chain, 0, chain.length);
        fieldAsTokens.put(0, stopTokens, 0, stopTokens.length);
        submit.putStopTokens(field, 0, stopTokens.length * Integer.BYTES);
        if (prompt.length > MAX_KEPT_TOKENS)
        {
            field = null;
            makeRoom(FIRST_TOKENS);
        }
        return submit;
    }

    private static void checkLimits(final CompletionRequest request, final long requestId, final int stopTokens)
    {
        if (request.minNewTokens() > request.maxNewTokens())
        {
            throw new IllegalArgumentException("request " + requestId + " wants at least " + request.minNewTokens() +
                " new tokens and at most " + request.maxNewTokens() + "; lower minNewTokens, or raise maxNewTokens");
        }
        if (stopTokens > CompletionRequest.MAX_STOP_TOKENS)
        {
            throw new IllegalArgumentException("request " + requestId + " stops at " + stopTokens +
                " different tokens with the end tokens of the model, above the bound of " +
                CompletionRequest.MAX_STOP_TOKENS + "; give fewer stop tokens, or ignoreEos");
        }
    }

    /** Before memory is taken for it. */
    private void checkLength(final long requestId, final int tokens)
    {
        final long bytes = (long)tokens * Integer.BYTES + (long)(tokens / blockSizeTokens) * Long.BYTES;
        if (bytes > Engine.MAX_INPUT_BYTES)
        {
            throw new IllegalArgumentException("the prompt of request " + requestId + " has " + tokens +
                " tokens, which take " + bytes + " bytes with their hashes, above the bound of " + Engine.MAX_INPUT_BYTES +
                " bytes; shorten it");
        }
    }

    private void checkTokens(final long requestId, final int[] prompt)
    {
        for (int i = 0; i < prompt.length; i++)
        {
            if (prompt[i] >= vocabularySize)
            {
                throw unknownToken(requestId, i, prompt[i]);
            }
        }
    }

    private IllegalArgumentException unknownToken(final long requestId, final int position, final int token)
    {
        return new IllegalArgumentException("token " + position + " of the prompt of request " + requestId + " is " + token +
            ", but token ids of the model are 0 to " + (vocabularySize - 1) + "; use its tokenizer, or give the engine " +
            "another vocabularySize");
    }
}
