// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.engine.GroupListener;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.event.OutputWriter;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.journal.segment.JournalBeginning;

/**
 * Groups in the place of those that were removed: who follows the groups of a run knows from them the requests that had not
 * ended, the highest request id, the epoch and the weights. Each of these requests has ended ahead of the older snapshot,
 * long before the end of the journal, so nobody is handed one.
 */
final class EarlierGroups
{
    private static final byte[] NOTHING = {};

    private final GroupListener target;
    private final InputWriter input = new InputWriter();
    private final GroupWriter group = new GroupWriter(1024);
    private final OutputWriter output = new OutputWriter();

    private EarlierGroups(final GroupListener target)
    {
        this.target = target;
        output.into(group);
    }

    /** Gives the target these groups, ahead of the first that is kept. */
    static void of(final JournalBeginning beginning, final GroupListener target)
    {
        final EarlierGroups groups = new EarlierGroups(target);
        if (beginning.epoch() > 0)
        {
            groups.reset(beginning.epoch());
        }
        if (beginning.weightGeneration() > 0)
        {
            groups.newWeights(beginning.weightGeneration(), beginning.weightVersion());
        }
        // Without an answer: only its id is of interest.
        groups.submit(new EarlierRequest(beginning.highestRequestId(), 0, 1, 1));
        groups.hand();
        for (final EarlierRequest request : beginning.requests())
        {
            groups.submit(request);
            groups.output.accepted(request.requestId());
            groups.hand();
        }
    }

    private void hand()
    {
        target.onGroup(group.buffer(), 0, group.length());
        group.reset();
    }

    private void reset(final int epoch)
    {
        input.backendReset().timeNanos(0).newEpoch(epoch).rank(InputWriter.ALL_RANKS).kvMemoryKept(Flag.NO)
            .restart(Flag.NO);
        group.append(input.buffer(), 0, input.length());
        hand();
    }

    private void newWeights(final int generation, final String version)
    {
        input.control().timeNanos(0).requestId(-1).kind(ControlKind.NEW_WEIGHTS).way(WeightsWay.CONTINUE).note(version);
        group.append(input.buffer(), 0, input.length());
        output.newWeights(generation, WeightsWay.CONTINUE, version);
        hand();
    }

    private void submit(final EarlierRequest request)
    {
        input.submit().timeNanos(request.submitNanos()).requestId(request.requestId()).conversationId(-1).predecessorId(-1)
            .thinkTimeNanos(0).deadlineNanos(-1).samplingSeed(0).promptTokens(request.promptTokens())
            .maxNewTokens(request.maxNewTokens()).rowsFrom(-1).priority(0).rankHint(-1).temperature(0)
            .topP(1).rankHintRelaxed(Flag.NO).putBlockHashes(NOTHING, 0, 0).putCacheKey(NOTHING, 0, 0)
            .putTokens(NOTHING, 0, 0).putHashChain(NOTHING, 0, 0).putStopTokens(NOTHING, 0, 0);
        group.append(input.buffer(), 0, input.length());
    }
}
