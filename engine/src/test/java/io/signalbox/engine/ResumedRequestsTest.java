// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.event.EventReader;
import io.signalbox.event.codec.FreeDecoder;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The ends that the next engine of a run hands out, for every number of groups that clients possibly did not see. */
class ResumedRequestsTest
{
    private static final int REQUESTS = 12;

    private static ResumedRequests fold(final List<UnsafeBuffer> groups, final int unseenGroups)
    {
        final ResumedRequests requests = new ResumedRequests(new EngineClient(new EngineConfig()), false, unseenGroups);
        groups.forEach(group -> requests.onGroup(group, 0, group.capacity()));
        return requests;
    }

    private static List<Long> endedIn(final List<UnsafeBuffer> groups)
    {
        final List<Long> ended = new ArrayList<>();
        final EventReader reader = new EventReader()
        {
            @Override
            protected void onFree(final FreeDecoder end)
            {
                ended.add(end.requestId());
            }
        };
        groups.forEach(group -> reader.readGroup(group, 0, group.capacity()));
        return ended.stream().sorted().toList();
    }

    @Test
    void shouldHandOutTheEndsOfTheGroupsThatClientsMayNotHaveSeen()
    {
        final List<UnsafeBuffer> groups = RecordedGroups.underPressure(REQUESTS, 12, 9);
        int handedOut = 0;
        for (int unseen = 1; unseen <= groups.size(); unseen++)
        {
            final List<Long> ids = fold(groups, unseen).handles().stream().map(CompletionHandle::requestId).toList();
            assertEquals(endedIn(groups.subList(groups.size() - unseen, groups.size())), ids, unseen + " groups");
            assertTrue(ids.size() >= handedOut);
            handedOut = ids.size();
        }
        assertEquals(REQUESTS, handedOut);
        assertEquals(REQUESTS + 1, fold(groups, 1).nextRequestId());
    }

    @Test
    void shouldDistinguishRequestsThatHaveEndedFromLiveOnes()
    {
        final List<UnsafeBuffer> groups = RecordedGroups.underPressure(REQUESTS, 12, 9);
        int begun = groups.size();
        while (endedIn(groups.subList(0, begun)).size() > REQUESTS / 2)
        {
            begun--;
        }
        final List<Long> ended = endedIn(groups.subList(0, begun));
        assertTrue(!ended.isEmpty(), "no request has ended");

        final ResumedRequests requests = fold(groups.subList(0, begun), groups.size());
        final List<CompletionHandle> handles = requests.handles();
        assertEquals(REQUESTS, handles.size());
        for (final CompletionHandle handle : handles)
        {
            assertEquals(!ended.contains(handle.requestId()), requests.isLive(handle), handle.requestId() + " is live");
            assertEquals(ended.contains(handle.requestId()), handle.isDone(), handle.requestId() + " is done");
        }
    }
}
