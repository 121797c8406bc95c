// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.SubmitEncoder;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.RecordedRequests;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/**
 * Submits a request as it was recorded, at another time: its deadline is as far away as it was. Rows are not asked for. If
 * blocks have another size, the prompt is hashed anew.
 */
final class RecordedSubmits implements Submits
{
    private static final int NONE = -1;

    private final RecordedRequests recorded;
    private final RecordedPrompts prompts;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final SubmitDecoder submit = new SubmitDecoder();

    RecordedSubmits(final RecordedRequests recorded, final SchedulerConfig config)
    {
        this.recorded = recorded;
        prompts = new RecordedPrompts(recorded.blockSizeTokens(), config);
    }

    /** @throws io.signalbox.ConfigException if a recorded prompt has no blocks of the size of this scheduler. */
    static void check(final Workload workload, final SchedulerConfig config)
    {
        final RecordedRequests recorded = workload.recorded();
        final SubmitDecoder submit = new SubmitDecoder();
        final MessageHeaderDecoder header = new MessageHeaderDecoder();
        for (final WorkloadRequest request : workload.requests())
        {
            submit.wrapAndApplyHeader(recorded.submit(request.requestId()), 0, header);
            RecordedPrompts.check(submit, recorded.blockSizeTokens(), config);
        }
    }

    /** Whether a request stops at a token. */
    static boolean stopsAt(final DirectBuffer message, final int token)
    {
        final SubmitDecoder submit = new SubmitDecoder().wrapAndApplyHeader(message, 0, new MessageHeaderDecoder());
        submit.skipBlockHashes();
        submit.skipCacheKey();
        submit.skipTokens();
        submit.skipHashChain();
        final int at = submit.limit() + SubmitDecoder.stopTokensHeaderLength();
        for (int i = submit.stopTokensLength() - Integer.BYTES; i >= 0; i -= Integer.BYTES)
        {
            if (submit.buffer().getInt(at + i, ByteOrder.LITTLE_ENDIAN) == token)
            {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean wantsRows()
    {
        return false;
    }

    @Override
    public void write(final InputWriter inputs, final WorkloadRequest request, final long timeNanos)
    {
        submit.wrapAndApplyHeader(recorded.submit(request.requestId()), 0, header);
        final long deadline = submit.deadlineNanos();
        final SubmitEncoder copy = inputs.submit()
            .timeNanos(timeNanos)
            .requestId(request.requestId())
            .conversationId(submit.conversationId())
            .predecessorId(submit.predecessorId())
            .thinkTimeNanos(submit.thinkTimeNanos())
            .deadlineNanos(deadline == NONE ? NONE : timeNanos + deadline - submit.timeNanos())
            .samplingSeed(submit.samplingSeed())
            .promptTokens(submit.promptTokens())
            .maxNewTokens(submit.maxNewTokens())
            .minNewTokens(submit.minNewTokens())
            .sampleOf(submit.sampleOf())
            .rowsFrom(NONE)
            .priority(submit.priority())
            .rankHint(submit.rankHint())
            .topK(submit.topK())
            .temperature(submit.temperature())
            .topP(submit.topP())
            .rankHintRelaxed(submit.rankHintRelaxed());
        prompts.read(submit);
        put(copy, prompts);
    }

    private static void put(final SubmitEncoder copy, final RecordedPrompts prompt)
    {
        copy.putBlockHashes(prompt.hashes(), 0, prompt.hashBytes())
            .putCacheKey(prompt.cacheKey(), 0, prompt.cacheKey().length)
            .putTokens(prompt.tokens(), 0, prompt.tokens().length)
            .putHashChain(prompt.chain(), 0, prompt.chain().length)
            .putStopTokens(prompt.stopTokens(), 0, prompt.stopTokens().length);
    }
}
