// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.request;

import io.signalbox.InvariantViolation;
import io.signalbox.event.RequestContent;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.SubmitDecoder;

import java.util.Arrays;

/** One request that has not ended, as the backend may read it. Used again for another one after that. */
final class LiveRequest implements RequestContent
{
    /** Arrays for more than so many tokens, bytes or blocks are not kept for the next request. */
    private static final int MAX_KEPT = 1 << 15;

    private long requestId;
    private int promptTokens;
    private int knownTokens;
    /** Whether records of it were removed: then it has ended before a backend reads it. */
    private boolean isPartlyRemoved;
    private int[] tokens = new int[256];
    private int blockCount;
    private int[] blocks = new int[32];
    private float temperature;
    private int topK;
    private float topP;
    private long samplingSeed;
    private boolean logprobs;
    private int minNewTokens;
    private int stopTokenCount;
    private int[] stopTokens = {};
    private int cacheKeyLength;
    private byte[] cacheKey = new byte[32];

    /**
     * @param input its variable-length fields are not read yet.
     * @param bytes copies the tokens.
     */
    void submit(final SubmitDecoder input, final TokenBytes bytes)
    {
        requestId = input.requestId();
        promptTokens = input.promptTokens();
        temperature = input.temperature();
        topK = input.topK();
        topP = input.topP();
        samplingSeed = input.samplingSeed();
        logprobs = input.logprobs() == Flag.YES;
        minNewTokens = input.minNewTokens();
        blockCount = 0;
        input.skipBlockHashes();
        cacheKeyLength = input.cacheKeyLength();
        cacheKey = cacheKeyLength > cacheKey.length ? new byte[cacheKeyLength] : cacheKey;
        input.getCacheKey(cacheKey, 0, cacheKeyLength);
        final int offset = input.limit() + SubmitDecoder.tokensHeaderLength();
        knownTokens = input.tokensLength() / Integer.BYTES;
        isPartlyRemoved = knownTokens < promptTokens;
        tokens = knownTokens > tokens.length ? new int[Math.max(knownTokens, 2 * tokens.length)] : tokens;
        bytes.copy(input.buffer(), offset, tokens, knownTokens);
        input.skipTokens();
        input.skipHashChain();
        stopTokenCount = input.stopTokensLength() / Integer.BYTES;
        stopTokens = stopTokenCount > stopTokens.length ? new int[stopTokenCount] : stopTokens;
        bytes.copy(input.buffer(), input.limit() + SubmitDecoder.stopTokensHeaderLength(), stopTokens, stopTokenCount);
    }

    void addToken(final int token)
    {
        tokens = knownTokens == tokens.length ? Arrays.copyOf(tokens, 2 * knownTokens) : tokens;
        tokens[knownTokens++] = token;
    }

    /** Tables grow at their end only; of a request whose Submit was removed with its tokens the beginning is not known. */
    void block(final int index, final int blockId)
    {
        if (index != blockCount && !isPartlyRemoved)
        {
            throw new InvariantViolation("request " + requestId + " gains block " + blockId + " at index " + index +
                " of its table, which has " + blockCount + " blocks");
        }
        blocks = blockCount == blocks.length ? Arrays.copyOf(blocks, 2 * blockCount) : blocks;
        blocks[blockCount++] = blockId;
    }

    void releaseBlocks()
    {
        blockCount = 0;
    }

    /** A long request must not keep its memory for short ones. */
    void shrink()
    {
        tokens = tokens.length > MAX_KEPT ? new int[MAX_KEPT] : tokens;
        blocks = blocks.length > MAX_KEPT ? new int[MAX_KEPT] : blocks;
        cacheKey = cacheKey.length > MAX_KEPT ? new byte[MAX_KEPT] : cacheKey;
    }

    @Override
    public long requestId()
    {
        return requestId;
    }

    @Override
    public int promptTokens()
    {
        return promptTokens;
    }

    @Override
    public int knownTokens()
    {
        return knownTokens;
    }

    @Override
    public int token(final int position)
    {
        return tokens[check(position, knownTokens, "token")];
    }

    @Override
    public int blockCount()
    {
        return blockCount;
    }

    @Override
    public int blockId(final int index)
    {
        return blocks[check(index, blockCount, "block")];
    }

    @Override
    public float temperature()
    {
        return temperature;
    }

    @Override
    public int topK()
    {
        return topK;
    }

    @Override
    public float topP()
    {
        return topP;
    }

    @Override
    public long samplingSeed()
    {
        return samplingSeed;
    }

    @Override
    public boolean wantsLogprobs()
    {
        return logprobs;
    }

    @Override
    public int minNewTokens()
    {
        return minNewTokens;
    }

    @Override
    public int stopTokenCount()
    {
        return stopTokenCount;
    }

    @Override
    public int stopToken(final int index)
    {
        return stopTokens[check(index, stopTokenCount, "stop token")];
    }

    @Override
    public int cacheKeyLength()
    {
        return cacheKeyLength;
    }

    @Override
    public byte cacheKeyByte(final int index)
    {
        return cacheKey[check(index, cacheKeyLength, "byte of its cache key")];
    }

    private int check(final int index, final int count, final String what)
    {
        if (index < 0 || index >= count)
        {
            throw new IndexOutOfBoundsException(
                "request " + requestId + " has no " + what + " " + index + "; it has " + count);
        }
        return index;
    }
}
