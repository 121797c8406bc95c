// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.BlockSize;
import io.signalbox.batch.Request;
import io.signalbox.batch.TenantWeights;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.router.PlacementBatch;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/** Refuses each {@code Submit} that can never run, and creates the request of any other. */
final class Submissions
{
    private final SchedulerConfig config;
    private final RequestTable requests;

    Submissions(final SchedulerConfig config, final RequestTable requests)
    {
        this.config = config;
        this.requests = requests;
    }

    /** The reason for the refusal, or {@link RefusalReason#NULL_VAL} if the request can run. */
    RefusalReason refusal(final SubmitDecoder input, final int ranksLeft, final int queued)
    {
        final int promptTokens = input.promptTokens();
        final int maxNewTokens = input.maxNewTokens();
        if (promptTokens < 1 || maxNewTokens < 0 || promptTokens > Integer.MAX_VALUE - maxNewTokens)
        {
            return RefusalReason.MALFORMED;
        }
        final int hashBytes = input.blockHashesLength();
        if (hashBytes != 0 && hashBytes != (long)Long.BYTES * (promptTokens / config.blockSizeTokens()))
        {
            return RefusalReason.HASH_COUNT;
        }
        if (!hashesAreInRange(input, hashBytes))
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
        if (ranksLeft == 0)
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

    /** @param input its variable-length fields are not read yet. */
    Request accept(final SubmitDecoder input)
    {
        final Request request = requests.unused()
            .reset(input.requestId(), input.promptTokens(), input.maxNewTokens(), input.stopTokenId(), input.rowsFrom())
            .conversation(input.conversationId())
            .constraints(input.rankHint(), input.rankHintRelaxed() == Flag.YES, input.priority(), input.deadlineNanos());
        final int hashesAt = input.limit() + SubmitDecoder.blockHashesHeaderLength();
        final int hashCount = input.blockHashesLength() / Long.BYTES;
        for (int i = 0; i < hashCount; i++)
        {
            request.addBlockHash(input.buffer().getLong(hashesAt + i * Long.BYTES));
        }
        addTenantAndHead(input, hashesAt, request);
        requests.add(request);
        return request;
    }

    /**
     * The tenant, and the first tokens of the prompt; if the input has none, the halves of the first block hash, if any.
     */
    private static void addTenantAndHead(final SubmitDecoder input, final int hashesAt, final Request request)
    {
        final DirectBuffer buffer = input.buffer();
        final boolean hashed = input.blockHashesLength() > 0;
        input.skipBlockHashes();
        request.tenant(TenantWeights.key(buffer, input.limit() + SubmitDecoder.cacheKeyHeaderLength(),
            input.cacheKeyLength()));
        input.skipCacheKey();
        final int tokens = Math.min(input.tokensLength() / Integer.BYTES, request.promptTokens());
        final int tokensAt = input.limit() + SubmitDecoder.tokensHeaderLength();
        for (int i = 0; i < Math.min(tokens, PlacementBatch.HEAD_TOKENS); i++)
        {
            request.head().add(buffer.getInt(tokensAt + i * Integer.BYTES, ByteOrder.LITTLE_ENDIAN));
        }
        if (tokens == 0 && hashed)
        {
            final long first = buffer.getLong(hashesAt, ByteOrder.LITTLE_ENDIAN);
            request.head().add((int)first);
            request.head().add((int)(first >>> Integer.SIZE));
        }
    }
}
