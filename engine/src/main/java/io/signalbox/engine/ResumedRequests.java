// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.InvariantViolation;
import io.signalbox.engine.request.ShellInputs;
import io.signalbox.event.CommitView;
import io.signalbox.event.codec.CancelDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The requests that a run has left for the clients of its next engine, folded from its groups: those that have not ended,
 * those whose rows were not taken, and those whose end a client may not have seen. A group becomes visible before the
 * ring of groups has turned once more, so these are the ends of the last groups that fit into the ring.
 */
final class ResumedRequests implements RunListener
{
    private final EngineClient client;
    private final boolean capture;
    private final int unseenGroups;
    private final Long2ObjectHashMap<CompletionHandle> live = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<End> withRows = new Long2ObjectHashMap<>();
    private final ArrayDeque<End> ends = new ArrayDeque<>();
    private final RunFold fold = RunFold.of(this);
    private CompletionHandle submitted;
    private long groups;
    private long highestId;
    private int weightGeneration;

    /** A request that ended in this group; its handle is completed only if a client receives it. */
    private record End(long group, CompletionHandle handle, Runnable completion)
    {
        private void addTo(final List<CompletionHandle> handles)
        {
            completion.run();
            handles.add(handle);
        }
    }

    /** @param unseenGroups most groups, at the end of the run, that no client may have seen. */
    ResumedRequests(final EngineClient client, final boolean capture, final int unseenGroups)
    {
        this.client = client;
        this.capture = capture;
        this.unseenGroups = unseenGroups;
    }

    void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        groups++;
        fold.onGroup(group, offset, length);
        while (!ends.isEmpty() && ends.peekFirst().group <= groups - unseenGroups)
        {
            ends.removeFirst();
        }
    }

    /** In the order of their ids. To be called once. */
    List<CompletionHandle> handles()
    {
        final List<CompletionHandle> handles = new ArrayList<>(live.values());
        withRows.values().forEach(end -> end.addTo(handles));
        ends.forEach(end -> end.addTo(handles));
        handles.sort(Comparator.comparingLong(CompletionHandle::requestId));
        return List.copyOf(handles);
    }

    boolean isLive(final CompletionHandle handle)
    {
        return live.containsKey(handle.requestId());
    }

    /** No request of the run has this id or a higher one. */
    long nextRequestId()
    {
        return highestId + 1;
    }

    int weightGeneration()
    {
        return weightGeneration;
    }

    @Override
    public void onSubmit(final SubmitDecoder message)
    {
        highestId = Math.max(highestId, message.requestId());
        submitted = new CompletionHandle(client, message.requestId(), message.promptTokens(),
            (long)message.promptTokens() + message.maxNewTokens(), message.rowsFrom(), message.logprobs() == Flag.YES);
    }

    @Override
    public void onAccepted(final RunRequest request)
    {
        live.put(request.id(), submitted);
    }

    @Override
    public void onRefused(final RunRequest request, final RefusedDecoder message)
    {
        final CompletionHandle handle = submitted;
        final Refusal refusal = Refusal.of(message.reason(), 0);
        ends.addLast(new End(groups, handle, () -> handle.refused(refusal)));
    }

    /** Its client has found the end of the answer; the request ends later if a step computed it. */
    @Override
    public void onCancel(final RunRequest request, final CancelDecoder message)
    {
        final CompletionHandle handle = message.answerTokens() < 0 ? null : live.get(message.requestId());
        if (handle != null)
        {
            handle.cut(Math.min(message.answerTokens(), handle.tokenCount()));
        }
    }

    @Override
    public void onLanded(final RunStep landed, final CommitView commit)
    {
        int token = 0;
        for (int entry = 0; entry < commit.entryCount(); entry++)
        {
            final int emitted = commit.emitted(entry);
            if (emitted > 0)
            {
                final CompletionHandle handle = find(commit.requestId(entry));
                for (int i = token; i < token + emitted; i++)
                {
                    handle.emitted(commit.token(i), commit.logprob(i));
                }
                handle.visible();
                token += emitted;
            }
        }
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder message)
    {
        final CompletionHandle handle = find(message.requestId());
        live.remove(message.requestId());
        final RequestEnd how = RequestEnd.of(message);
        final End end = new End(groups, handle, () -> handle.freed(how));
        if (capture && handle.rowsFrom() >= 0)
        {
            withRows.put(message.requestId(), end);
        }
        else
        {
            ends.addLast(end);
        }
    }

    private CompletionHandle find(final long requestId)
    {
        final CompletionHandle handle = live.get(requestId);
        if (handle == null)
        {
            throw new InvariantViolation("request " + requestId + " has an output in the journal but is not live");
        }
        return handle;
    }

    @Override
    public void onControl(final ControlDecoder message)
    {
        final End end = message.kind() == ControlKind.RELEASE_ROWS ? withRows.remove(message.requestId()) : null;
        if (end != null)
        {
            if (!ShellInputs.isDiscard(message.note()))
            {
                end.handle.rowClaim().claim();
            }
            ends.addLast(new End(groups, end.handle, end.completion));
        }
    }

    @Override
    public void onNewWeights(final NewWeightsDecoder message)
    {
        weightGeneration = message.weightGeneration();
    }
}
