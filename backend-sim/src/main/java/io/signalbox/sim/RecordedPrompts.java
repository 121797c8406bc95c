// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.kv.hash.BlockHasher;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.scheduler.WithheldTokens;
import io.signalbox.workload.SplitMix64;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The blocks of recorded prompts in the block size of another run. With the tokens of a prompt its blocks are hashed anew.
 * Without them the recorded hashes name larger blocks, because a hash stands for all tokens before it, or parts of the
 * recorded blocks; then blocks that decoding fills are not found again.
 */
final class RecordedPrompts
{
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final byte[] NOTHING = {};

    private final int recordedSize;
    private final int blockSize;
    private final BlockHasher hasher;
    private final UnsafeBuffer hashes = new UnsafeBuffer(NOTHING);
    private byte[] hashArray = NOTHING;
    private long[] hashed = {};
    private int[] tokenArray = {};
    private int hashBytes;
    private byte[] cacheKey = NOTHING;
    private byte[] tokens = NOTHING;
    private byte[] chain = NOTHING;
    private byte[] stopTokens = NOTHING;

    /** @param recordedSize tokens of a block in the recorded run. */
    RecordedPrompts(final int recordedSize, final SchedulerConfig config)
    {
        this.recordedSize = recordedSize;
        blockSize = config.blockSizeTokens();
        hasher = BlockHasher.of(config.blockHash(), blockSize);
    }

    /**
     * Checks that a prompt has blocks of the new size.
     *
     * @throws ConfigException that names the settings if it has not.
     */
    static void check(final SubmitDecoder submit, final int recordedSize, final SchedulerConfig config)
    {
        final int blockSize = config.blockSizeTokens();
        final boolean names = blockSize % recordedSize == 0 || recordedSize % blockSize == 0;
        if (!names && !hasAllTokens(submit))
        {
            throw ConfigException.because(SchedulerConfig.BLOCK_SIZE_TOKENS.of(blockSize), " is neither a multiple nor a " +
                    "divisor of the " + recordedSize + " tokens whose hashes the journal has, and it has no prompt tokens")
                .allowed("a multiple or a divisor of " + recordedSize).remedy("give a multiple or a divisor");
        }
    }

    private static boolean hasAllTokens(final SubmitDecoder submit)
    {
        final int limit = submit.limit();
        submit.skipBlockHashes();
        submit.skipCacheKey();
        final int known = submit.tokensLength() / Integer.BYTES;
        submit.limit(limit);
        return known == submit.promptTokens();
    }

    /** @param submit at the start of its variable parts. */
    void read(final SubmitDecoder submit)
    {
        final DirectBuffer message = submit.buffer();
        final int promptTokens = submit.promptTokens();
        hashBytes = submit.blockHashesLength();
        final int recordedHashes = submit.limit() + Integer.BYTES;
        submit.skipBlockHashes();
        cacheKey = bytes(submit.cacheKeyLength());
        submit.getCacheKey(cacheKey, 0, cacheKey.length);
        tokens = bytes(submit.tokensLength());
        submit.getTokens(tokens, 0, tokens.length);
        // A journal without tokens has another form in the place of the chain.
        chain = bytes(WithheldTokens.isForm(submit.hashChainLength()) ? 0 : submit.hashChainLength());
        submit.getHashChain(chain, 0, chain.length);
        stopTokens = bytes(submit.stopTokensLength());
        submit.getStopTokens(stopTokens, 0, stopTokens.length);
        if (blockSize == recordedSize)
        {
            hashes.wrap(message, recordedHashes, hashBytes);
        }
        else if (tokens.length == promptTokens * Integer.BYTES)
        {
            hash(promptTokens);
        }
        else
        {
            name(message, recordedHashes, hashBytes > 0 ? promptTokens / blockSize : 0, submit.requestId());
        }
    }

    private static byte[] bytes(final int length)
    {
        return length == 0 ? NOTHING : new byte[length];
    }

    private void hash(final int promptTokens)
    {
        tokenArray = tokenArray.length < promptTokens ? new int[promptTokens] : tokenArray;
        final UnsafeBuffer source = new UnsafeBuffer(tokens);
        for (int i = 0; i < promptTokens; i++)
        {
            tokenArray[i] = source.getInt(i * Integer.BYTES, ORDER);
        }
        final int blocks = promptTokens / blockSize;
        hashed = hashed.length < blocks ? new long[blocks] : hashed;
        hasher.hash(tokenArray, promptTokens, cacheKey, hashed);
        room(blocks);
        for (int i = 0; i < blocks; i++)
        {
            hashes.putLong(i * Long.BYTES, hashed[i], ORDER);
        }
        chain = new byte[hasher.chainBytes()];
        hasher.chain(chain);
    }

    /** A larger block is named by the last recorded one in it, a smaller one by the recorded one and its place therein. */
    private void name(
        final DirectBuffer message, final int recordedHashes, final int blocks, final long requestId)
    {
        int named = 0;
        room(blocks);
        for (; named < blocks; named++)
        {
            final int end = (named + 1) * blockSize;
            final int recorded = (end - 1) / recordedSize;
            if ((recorded + 1) * Long.BYTES > recordedBytes(message, recordedHashes))
            {
                break;
            }
            final long hash = message.getLong(recordedHashes + recorded * Long.BYTES, ORDER);
            hashes.putLong(named * Long.BYTES, end % recordedSize == 0 ? hash :
                Math.max(1, SplitMix64.mix(hash, end % recordedSize) & Long.MAX_VALUE), ORDER);
        }
        // The last blocks lie behind the last recorded one: nobody shares them.
        for (; named < blocks; named++)
        {
            hashes.putLong(
                named * Long.BYTES, Math.max(1, SplitMix64.mix(~requestId, named) & Long.MAX_VALUE), ORDER);
        }
        tokens = NOTHING;
        chain = NOTHING;
    }

    private static int recordedBytes(final DirectBuffer message, final int recordedHashes)
    {
        return message.getInt(recordedHashes - Integer.BYTES, ORDER);
    }

    private void room(final int blocks)
    {
        hashBytes = blocks * Long.BYTES;
        hashArray = hashArray.length < hashBytes ? Arrays.copyOf(hashArray, 2 * hashBytes) : hashArray;
        hashes.wrap(hashArray, 0, hashBytes);
    }

    DirectBuffer hashes()
    {
        return hashes;
    }

    int hashBytes()
    {
        return hashBytes;
    }

    byte[] cacheKey()
    {
        return cacheKey;
    }

    byte[] tokens()
    {
        return tokens;
    }

    byte[] chain()
    {
        return chain;
    }

    byte[] stopTokens()
    {
        return stopTokens;
    }
}
