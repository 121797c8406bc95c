// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.SubmitEncoder;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.SplitMix64;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Encodes the Submit of a workload's request. */
final class SubmitWriter implements Submits
{
    private static final int NONE = -1;

    private final Workload workload;
    private final PromptHashes prompts;
    private final int rowsFrom;
    private final long seed;
    private final UnsafeBuffer hashBytes;
    private final UnsafeBuffer tailBytes;

    /** @param rowsFrom first position whose routed-expert rows the clients want; -1: none. */
    SubmitWriter(final Workload workload, final SchedulerConfig config, final int rowsFrom, final long seed)
    {
        this.workload = workload;
        this.rowsFrom = rowsFrom;
        this.seed = seed;
        prompts = new PromptHashes(workload, config, seed);
        final int longest = workload.requests().stream().mapToInt(WorkloadRequest::promptTokens).max().orElse(0);
        hashBytes = new UnsafeBuffer(new byte[longest / config.blockSizeTokens() * Long.BYTES]);
        tailBytes = new UnsafeBuffer(new byte[config.blockSizeTokens() * Integer.BYTES]);
    }

    @Override
    public boolean wantsRows()
    {
        return rowsFrom >= 0;
    }

    @Override
    public void write(final InputWriter inputs, final WorkloadRequest request, final long timeNanos)
    {
        final int hashCount = prompts.hash(request);
        for (int i = 0; i < hashCount; i++)
        {
            hashBytes.putLong(i * Long.BYTES, prompts.hash(i), ByteOrder.LITTLE_ENDIAN);
        }
        for (int i = 0; i < prompts.tailLength(); i++)
        {
            tailBytes.putInt(i * Integer.BYTES, prompts.tail(i), ByteOrder.LITTLE_ENDIAN);
        }
        final byte[] tenant = workload.tenant(request).getBytes(StandardCharsets.UTF_8);
        final SubmitEncoder submit = inputs.submit();
        submit
            .timeNanos(timeNanos)
            .requestId(request.requestId())
            .conversationId(request.conversationId())
            .predecessorId(request.predecessorId())
            .thinkTimeNanos(request.thinkTimeNanos())
            .deadlineNanos(NONE)
            .samplingSeed(SplitMix64.mix(seed, request.requestId()))
            .promptTokens(request.promptTokens())
            .maxNewTokens(request.outputTokens())
            .rowsFrom(rowsFrom)
            .priority(0)
            .rankHint(NONE)
            .temperature(1.0f)
            .topP(1.0f)
            .rankHintRelaxed(Flag.NO)
            .putBlockHashes(hashBytes, 0, hashCount * Long.BYTES)
            .putCacheKey(tenant, 0, tenant.length)
            .putTokens(tailBytes, 0, prompts.tailLength() * Integer.BYTES)
            .putHashChain(prompts.chain(), 0, prompts.chain().length)
            .putStopTokens(tenant, 0, 0);
    }
}
