// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.capture.StepBlock;
import io.signalbox.event.RequestContent;
import io.signalbox.event.StepView;

import java.util.Arrays;

/** The stop tokens that the sampler leaves out in a step, because their requests have a least number of new tokens. */
final class DeviceStopTokens
{
    private final int vocabulary;
    /** By entry. */
    private final int[] firsts;
    private final int[] counts;
    private final int[] mayStopAt;
    private int[] ids = new int[0];
    private int idCount;

    DeviceStopTokens(final int maxTokens, final int vocabulary)
    {
        this.vocabulary = vocabulary;
        firsts = new int[maxTokens];
        counts = new int[maxTokens];
        mayStopAt = new int[maxTokens];
    }

    void begin()
    {
        idCount = 0;
    }

    /** If the device decides where the entry starts, it also decides which of its tokens are before the least length. */
    void read(final StepView plan, final int entry)
    {
        final RequestContent request = plan.request(entry);
        firsts[entry] = idCount;
        counts[entry] = 0;
        mayStopAt[entry] = request.promptTokens() + request.minNewTokens();
        if (!plan.samples(entry) || request.mayStopAt(plan.start(entry) + 1))
        {
            return;
        }
        if (ids.length < idCount + request.stopTokenCount())
        {
            ids = Arrays.copyOf(ids, 2 * (idCount + request.stopTokenCount()));
        }
        // The kernels check nothing. No logit belongs to a token outside the vocabulary.
        for (int i = 0; i < request.stopTokenCount() && request.stopToken(i) < vocabulary; i++)
        {
            ids[idCount++] = request.stopToken(i);
        }
        counts[entry] = idCount - firsts[entry];
    }

    /** @param sampled tokens that the step samples. */
    long bytes(final int sampled)
    {
        return idCount == 0 ? 0 : StepBlock.leftOutBytes(sampled, idCount);
    }

    void write(final StepBlock block, final DeviceStepPlan plan)
    {
        if (idCount == 0)
        {
            return;
        }
        block.beginLeftOut(idCount);
        for (int entry = 0; entry < plan.entries(); entry++)
        {
            final int first = plan.samples(entry);
            for (int place = first; place < first + plan.places(entry); place++)
            {
                block.leaveOut(place, firsts[entry], counts[entry], mayStopAt[entry]);
            }
        }
        for (int i = 0; i < idCount; i++)
        {
            block.stopToken(i, ids[i]);
        }
    }
}
