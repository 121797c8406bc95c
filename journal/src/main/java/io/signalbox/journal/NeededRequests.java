// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.journal.segment.JournalBeginning;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Folds groups into the requests whose records a later engine of the run needs: those that have not ended, those whose rows
 * nobody took, and those whose end a client may not have seen. It also notes, for each segment, the
 * beginning of a journal that begins there.
 */
final class NeededRequests implements RunListener
{
    private final boolean captures;
    private final int newestSegment;
    private final long unseenFrom;
    private final long begunWallNanos;
    private final Map<String, String> settings;
    private final Map<Long, Live> live = new LinkedHashMap<>();
    /** Segments of the Submits of requests that have ended and whose rows nobody took. */
    private final Map<Long, Integer> untaken = new LinkedHashMap<>();
    /** Of the Submits of requests that ended, or whose rows were released, perhaps unseen by a client. */
    private int oldestUnseen = Integer.MAX_VALUE;
    private final TreeMap<Integer, JournalBeginning> beginnings = new TreeMap<>();
    private final RunFold fold = RunFold.within(this);
    private Live submitted;
    private int segment = -1;
    /** Requests submitted ahead of the newest segment that are live or untaken. */
    private int open;
    private long groups;
    private long highestRequestId = -1;
    private int epoch;
    private int weightGeneration;
    private String weightVersion = "";

    /** A request, and the segment that has its Submit. */
    private record Live(EarlierRequest request, int segment, boolean wantsRows)
    {
    }

    /**
     * @param newestSegment  of interest as a beginning.
     * @param unseenFrom     groups ahead of those whose ends of requests a client may not have seen.
     * @param begunWallNanos wall time of record 0.
     */
    NeededRequests(
        final JournalReader reader,
        final JournalBeginning earlier,
        final int newestSegment,
        final long unseenFrom,
        final long begunWallNanos)
    {
        captures = reader.shape() != null;
        this.newestSegment = newestSegment;
        this.unseenFrom = unseenFrom;
        this.begunWallNanos = begunWallNanos;
        settings = reader.settings();
        if (earlier != null)
        {
            earlier.requests().forEach(request ->
                live.put(request.requestId(), new Live(request, earlier.start().segment(), false)));
            open = live.size();
            highestRequestId = earlier.highestRequestId();
            epoch = earlier.epoch();
            weightGeneration = earlier.weightGeneration();
            weightVersion = earlier.weightVersion();
        }
    }

    /** The current group of the reader. */
    void onGroup(final JournalReader reader)
    {
        final boolean isFirst = reader.segment() != segment;
        segment = reader.segment();
        groups = reader.groups();
        if (isFirst && segment <= newestSegment)
        {
            final List<EarlierRequest> requests = live.values().stream().map(Live::request).toList();
            beginnings.put(segment, new JournalBeginning(reader.segmentStart(), begunWallNanos, highestRequestId, epoch,
                weightGeneration, weightVersion, requests, settings));
        }
        fold.onGroup(reader.group(), 0, reader.groupLength(), reader.timeNanos());
    }

    /** Whether no later group can change the answer: every request of older segments has ended, and its rows were taken. */
    boolean isSettled()
    {
        return segment >= newestSegment && open == 0;
    }

    private void end(final int ofSubmit)
    {
        open -= ofSubmit < newestSegment ? 1 : 0;
        if (groups > unseenFrom)
        {
            oldestUnseen = Math.min(oldestUnseen, ofSubmit);
        }
    }

    /**
     * The oldest segment that a later engine needs after the current group, and the request for which it needs the segment.
     *
     * @param reason the reason, as a sentence without a full stop.
     */
    record Need(int segment, String reason)
    {
    }

    /** The segment of the oldest Submit that is needed after the current group; the group's own if none is needed. */
    Need oldest()
    {
        Need oldest = new Need(segment, "it has the records that are read last");
        for (final Live request : live.values())
        {
            oldest = older(oldest, request.segment, request.request.requestId(), "has not ended");
        }
        for (final Map.Entry<Long, Integer> rows : untaken.entrySet())
        {
            oldest = older(oldest, rows.getValue(), rows.getKey(), "has ended, and its rows were not released; take or " +
                "release them");
        }
        return oldestUnseen < oldest.segment ? new Need(oldestUnseen,
            "a request that was submitted there ended recently, and its client may not have seen the end") : oldest;
    }

    private static Need older(final Need oldest, final int segment, final long requestId, final String state)
    {
        return segment < oldest.segment ?
            new Need(segment, "request " + requestId + ", which was submitted there, " + state) : oldest;
    }

    /** The beginning of a journal at the newest segment up to this one; {@code null} if none of them has a group. */
    JournalBeginning atMost(final int mostSegment)
    {
        final Map.Entry<Integer, JournalBeginning> found = beginnings.floorEntry(mostSegment);
        return found == null ? null : found.getValue();
    }

    /** A client may not have seen its refusal. */
    @Override
    public void onRefused(final RunRequest request, final RefusedDecoder message)
    {
        if (groups > unseenFrom)
        {
            oldestUnseen = Math.min(oldestUnseen, segment);
        }
    }

    @Override
    public void onSubmit(final SubmitDecoder submit)
    {
        highestRequestId = Math.max(highestRequestId, submit.requestId());
        submitted = new Live(new EarlierRequest(submit.requestId(), submit.timeNanos(), submit.promptTokens(),
            submit.maxNewTokens()), segment, captures && submit.rowsFrom() >= 0);
    }

    @Override
    public void onAccepted(final RunRequest request)
    {
        live.put(request.id(), submitted);
        open += submitted.segment < newestSegment ? 1 : 0;
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder free)
    {
        final Live ended = live.remove(free.requestId());
        if (ended != null && ended.wantsRows)
        {
            untaken.put(free.requestId(), ended.segment);
        }
        else if (ended != null)
        {
            end(ended.segment);
        }
    }

    @Override
    public void onControl(final ControlDecoder control)
    {
        final Integer released = control.kind() == ControlKind.RELEASE_ROWS ? untaken.remove(control.requestId()) : null;
        if (released != null)
        {
            end(released);
        }
    }

    @Override
    public void onReset(final BackendResetDecoder reset)
    {
        epoch = Math.max(epoch, reset.newEpoch());
    }

    @Override
    public void onNewWeights(final NewWeightsDecoder weights)
    {
        weightGeneration = weights.weightGeneration();
        weightVersion = weights.version();
    }
}
