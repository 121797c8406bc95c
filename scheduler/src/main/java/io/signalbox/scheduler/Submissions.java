// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.BlockSize;
import io.signalbox.batch.Request;
import io.signalbox.batch.TenantWeights;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.hash.BlockHasher;
import io.signalbox.router.PlacementBatch;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/** Refuses each {@code Submit} that can never run, and creates the request of any other. */
final class Submissions
{
    private final SchedulerConfig config;
    private final RequestTable requests;
    private final int chainBytes;

    /** @param hasher of the block hashes of a request that continue what its client hashed. */
    Submissions(final SchedulerConfig config, final RequestTable requests, final BlockHasher hasher)
    {
        this.config = config;
        this.requests = requests;
        chainBytes = hasher.chainBytes();
    }

    /** The reason for the refusal, or {@link RefusalReason#NULL_VAL} if the request can run. */
    RefusalReason refusal(final SubmitDecoder input, final int ranksExpected, final int queued)
    {
        final int promptTokens = input.promptTokens();
        final int maxNewTokens = input.maxNewTokens();
        final int minNewTokens = input.minNewTokens();
        if (promptTokens < 1 || maxNewTokens < 0 || promptTokens > Integer.MAX_VALUE - maxNewTokens ||
            minNewTokens < 0 || minNewTokens > maxNewTokens)
        {
            return RefusalReason.MALFORMED;
        }
        final int hashBytes = input.blockHashesLength();
        if (hashBytes != 0 && hashBytes != (long)Long.BYTES * (promptTokens / config.blockSizeTokens()))
        {
            return RefusalReason.HASH_COUNT;
        }
        if (!hashesAreInRange(input, hashBytes) || !tokensFit(input, hashBytes) || !stopTokensAscend(input))
        {
            return RefusalReason.MALFORMED;
        }
        if (requests.find(input.requestId()) != null)
        {
            return RefusalReason.DUPLICATE_ID;
        }
        if (BlockSize.blocksNeeded(promptTokens, maxNewTokens, config.blockSizeTokens()) > config.kvBlocks() - 1)
        {
            return RefusalReason.TOO_LONG_FOR_POOL;
        }
        if (ranksExpected == 0)
        {
            return RefusalReason.NO_RANK_LEFT;
        }
        return queued >= config.maxQueued() ? RefusalReason.QUEUE_FULL : RefusalReason.NULL_VAL;
    }

    private static boolean hashesAreInRange(final SubmitDecoder input, final int hashBytes)
    {
        final int hashesAt = input.limit() + SubmitDecoder.blockHashesHeaderLength();
        for (int i = 0; i < hashBytes; i += Long.BYTES)
        {
            if (input.buffer().getLong(hashesAt + i) <= KvBlockAllocator.NO_HASH)
            {
                return false;
            }
        }
        return true;
    }

    /**
     * Tokens are all of the prompt, those behind its last full block, or none. A chain needs a hash of each full block and
     * the tokens behind the last one. Instead of a chain there can be {@link WithheldTokens}.
     */
    private boolean tokensFit(final SubmitDecoder input, final int hashBytes)
    {
        final int limit = input.limit();
        input.skipBlockHashes();
        input.skipCacheKey();
        final int tokenBytes = input.skipTokens();
        final int given = input.hashChainLength();
        input.limit(limit);
        final int prompt = input.promptTokens();
        final int tail = prompt % config.blockSizeTokens();
        final boolean hasTail = tokenBytes == (long)Integer.BYTES * prompt || tokenBytes == Integer.BYTES * tail;
        final boolean hashed = hashBytes == (long)Long.BYTES * (prompt / config.blockSizeTokens());
        if (WithheldTokens.isForm(given))
        {
            return tokenBytes == 0;
        }
        return (tokenBytes == 0 || hasTail) && (given == 0 || given == chainBytes && hashed && hasTail);
    }

    private static boolean stopTokensAscend(final SubmitDecoder input)
    {
        final int limit = input.limit();
        skipToStopTokens(input);
        final int bytes = input.stopTokensLength();
        final int at = input.limit() + SubmitDecoder.stopTokensHeaderLength();
        input.limit(limit);
        if (bytes % Integer.BYTES != 0 || bytes > Request.MAX_STOP_TOKENS * Integer.BYTES)
        {
            return false;
        }
        int last = -1;
        for (int i = 0; i < bytes; i += Integer.BYTES)
        {
            final int token = input.buffer().getInt(at + i, ByteOrder.LITTLE_ENDIAN);
            if (token <= last)
            {
                return false;
            }
            last = token;
        }
        return true;
    }

    private static void skipToStopTokens(final SubmitDecoder input)
    {
        input.skipBlockHashes();
        input.skipCacheKey();
        input.skipTokens();
        input.skipHashChain();
    }

    /** @param input its variable-length fields are not read yet. */
    Request accept(final SubmitDecoder input)
    {
        final Request request = requests.unused()
            .reset(input.requestId(), input.promptTokens(), input.maxNewTokens(), input.rowsFrom())
            .least(input.minNewTokens())
            .sampleOf(config.prefixCaching() ? input.sampleOf() : Request.NO_REQUEST)
            .conversation(input.conversationId())
            .constraints(input.rankHint(), input.rankHintRelaxed() == Flag.YES, input.priority(), input.deadlineNanos());
        addStopTokens(input, request);
        final int hashesAt = input.limit() + SubmitDecoder.blockHashesHeaderLength();
        final int hashCount = input.blockHashesLength() / Long.BYTES;
        for (int i = 0; i < hashCount; i++)
        {
            request.prefix().addPromptBlock(input.buffer().getLong(hashesAt + i * Long.BYTES));
        }
        addTenantAndTokens(input, hashesAt, request);
        requests.add(request);
        return request;
    }

    private static void addStopTokens(final SubmitDecoder input, final Request request)
    {
        final int limit = input.limit();
        skipToStopTokens(input);
        final int at = input.limit() + SubmitDecoder.stopTokensHeaderLength();
        final int bytes = input.stopTokensLength();
        for (int i = 0; i < bytes; i += Integer.BYTES)
        {
            request.addStopToken(input.buffer().getInt(at + i, ByteOrder.LITTLE_ENDIAN));
        }
        input.limit(limit);
    }

    private void addTenantAndTokens(final SubmitDecoder input, final int hashesAt, final Request request)
    {
        final boolean hashed = input.blockHashesLength() > 0;
        input.skipBlockHashes();
        request.tenant(TenantWeights.key(input.buffer(), input.limit() + SubmitDecoder.cacheKeyHeaderLength(),
            input.cacheKeyLength()));
        input.skipCacheKey();
        final int tokensAt = input.limit() + SubmitDecoder.tokensHeaderLength();
        final int tokens = input.skipTokens() / Integer.BYTES;
        if (WithheldTokens.isForm(input.hashChainLength()))
        {
            WithheldTokens.read(input, config.prefixCaching(), config.blockSizeTokens(), request);
            return;
        }
        addHead(input.buffer(), tokensAt, tokens == request.promptTokens() ? tokens : 0, hashed ? hashesAt : -1, request);
        if (input.hashChainLength() > 0 && config.prefixCaching())
        {
            input.getHashChain(request.prefix().continueFrom(chainBytes), 0, chainBytes);
            final int tail = request.promptTokens() % config.blockSizeTokens();
            for (int i = tokens - tail; i < tokens; i++)
            {
                request.prefix().addToken(input.buffer().getInt(tokensAt + i * Integer.BYTES, ByteOrder.LITTLE_ENDIAN));
            }
        }
    }

    /** The first tokens of the prompt; if they are not known, the halves of the first block hash, if any. */
    private static void addHead(
        final DirectBuffer buffer, final int tokensAt, final int tokens, final int hashesAt, final Request request)
    {
        for (int i = 0; i < Math.min(tokens, PlacementBatch.HEAD_TOKENS); i++)
        {
            request.head().add(buffer.getInt(tokensAt + i * Integer.BYTES, ByteOrder.LITTLE_ENDIAN));
        }
        if (tokens == 0 && hashesAt >= 0)
        {
            final long first = buffer.getLong(hashesAt, ByteOrder.LITTLE_ENDIAN);
            request.head().add((int)first);
            request.head().add((int)(first >>> Integer.SIZE));
        }
    }
}
