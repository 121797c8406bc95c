// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.event.CommitView;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.CancelDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.WeightsPlan;
import io.signalbox.state.FoldedMatches;
import io.signalbox.state.FoldedState;
import io.signalbox.state.RequestState;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;
import io.signalbox.stats.RequestOutcome;
import io.signalbox.workload.WorkloadRequest;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Takes from the groups of a run, besides the outcomes, all that its requests need to be submitted again: Submits, the
 * times at which clients gave up, and, unless a seeded model has them, sampled tokens and accepted drafts.
 */
final class RunExtraction extends RunCollector
{
    private static final int NONE = -1;

    private final boolean isSimulated;
    private final boolean hasWaitingClients;
    private final boolean keepsOutputs;
    private final boolean hasDrafts;
    private final int blockSizeTokens;
    private final Long2ObjectHashMap<Recorded> requests = new Long2ObjectHashMap<>();
    /** The last request of each conversation that completed. */
    private final Long2LongHashMap lastOfConversation = new Long2LongHashMap(NONE);
    private final List<WeightsPlan.Change> newWeights = new ArrayList<>();
    /** Ends of requests whose Submits are not among the groups. */
    private final Long2LongHashMap begunAhead = new Long2LongHashMap(NONE);
    private Recorded asked;
    private long startNanos = NONE;
    private long lastEndNanos = NONE;
    private boolean hasDeadlines;
    private long faults;
    private long cacheResets;
    private long lowerFollowers;

    /** A Submit and the facts about its request. */
    private static final class Recorded
    {
        private final DirectBuffer submit;
        private final RecordedOutput output;
        private final long timeNanos;
        private final long conversationId;
        private final long predecessorId;
        private final long thinkTimeNanos;
        private final boolean waitsForClient;
        private final int promptTokens;
        private final int maxNewTokens;
        private long cancelAfterNanos = NONE;
        private int answerTokens = -1;

        private Recorded(
            final SubmitDecoder submit,
            final RecordedOutput output,
            final long predecessorId,
            final long thinkTimeNanos,
            final boolean waitsForClient)
        {
            this.submit = copyOf(submit);
            this.output = output;
            this.predecessorId = predecessorId;
            this.thinkTimeNanos = thinkTimeNanos;
            this.waitsForClient = waitsForClient;
            timeNanos = submit.timeNanos();
            conversationId = submit.conversationId();
            promptTokens = submit.promptTokens();
            maxNewTokens = submit.maxNewTokens();
        }

        private static DirectBuffer copyOf(final SubmitDecoder submit)
        {
            final byte[] bytes = new byte[MessageHeaderDecoder.ENCODED_LENGTH + submit.sbeDecodedLength()];
            submit.buffer().getBytes(submit.offset() - MessageHeaderDecoder.ENCODED_LENGTH, bytes);
            return new UnsafeBuffer(bytes);
        }

        /** @param follows the request that it follows; {@link #NONE}: none, or one that is not re-run. */
        private WorkloadRequest request(final long requestId, final long startNanos, final long follows)
        {
            // One that was submitted before the start is there at the start.
            final boolean arrives = follows == NONE && (predecessorId != NONE || !waitsForClient || timeNanos < startNanos);
            final long passedNanos = Math.max(0, startNanos - timeNanos);
            return (arrives ?
                WorkloadRequest.arriving(requestId, Math.max(0, timeNanos - startNanos), promptTokens, maxNewTokens) :
                WorkloadRequest.following(requestId, follows, thinkTimeNanos, promptTokens, maxNewTokens))
                .ofConversation(conversationId)
                .stoppedAfter(cancelAfterNanos == NONE ? NONE : Math.max(0, cancelAfterNanos - passedNanos), answerTokens);
        }
    }

    /**
     * @param isSimulated       whether the run had simulated ranks: its time begins at 0, and it says who follows whom.
     * @param hasWaitingClients whether sessions started when a client became free.
     * @param keepsOutputs      whether sampled tokens and drafts are taken.
     * @param matches           folds the matches that the router could have read, if it does not read matches.
     */
    RunExtraction(
        final SchedulerConfig config,
        final FoldedMatches matches,
        final boolean isSimulated,
        final boolean hasWaitingClients,
        final boolean keepsOutputs)
    {
        super(config.blockSizeTokens(), matches, false);
        this.isSimulated = isSimulated;
        this.hasWaitingClients = hasWaitingClients;
        this.keepsOutputs = keepsOutputs;
        hasDrafts = keepsOutputs && config.draftTokens() > 0;
        blockSizeTokens = config.blockSizeTokens();
    }

    @Override
    public void onState(final FoldedState ahead)
    {
        ahead.requests().stream().filter(request -> request.stage() != RequestState.Stage.FINISHED)
            .forEach(request -> begunAhead.put(request.id(), Long.MAX_VALUE));
    }

    /** Requests that had not ended at a time, and whose Submits are not among the groups. */
    long begunAhead(final long nanos)
    {
        return begunAhead.values().stream().filter(endNanos -> endNanos >= nanos).count();
    }

    @Override
    public void onSubmit(final SubmitDecoder submit)
    {
        startNanos = startNanos == NONE ? isSimulated ? 0 : nowNanos() : startNanos;
        asked = null;
        if (!requests.containsKey(submit.requestId()))
        {
            asked = isSimulated ? simulated(submit) : embedded(submit);
            requests.put(submit.requestId(), asked);
            hasDeadlines |= submit.deadlineNanos() != NONE;
        }
    }

    private Recorded simulated(final SubmitDecoder submit)
    {
        final boolean follows =
            submit.predecessorId() < submit.requestId() && requests.containsKey(submit.predecessorId());
        final boolean waits = hasWaitingClients && submit.predecessorId() == NONE &&
            (submit.thinkTimeNanos() > 0 || submit.timeNanos() == lastEndNanos);
        return new Recorded(submit, output(), follows ? submit.predecessorId() : NONE, submit.thinkTimeNanos(), waits);
    }

    /** A request follows the one of its conversation that completed last before it. */
    private Recorded embedded(final SubmitDecoder submit)
    {
        final long predecessor =
            submit.conversationId() == NONE ? NONE : lastOfConversation.get(submit.conversationId());
        final long follows = predecessor < submit.requestId() ? predecessor : NONE;
        lowerFollowers += follows == predecessor ? 0 : 1;
        return new Recorded(submit, output(), follows,
            follows == NONE ? 0 : submit.timeNanos() - outcomes().get(follows).endNanos(), false);
    }

    private RecordedOutput output()
    {
        return keepsOutputs ? new RecordedOutput() : null;
    }

    @Override
    public void onRefused(final RunRequest refused, final RefusedDecoder answer)
    {
        super.onRefused(refused, answer);
        final RefusalReason reason = answer.reason();
        if (asked != null && (reason == RefusalReason.MALFORMED || reason == RefusalReason.HASH_COUNT ||
            reason == RefusalReason.DRAINING))
        {
            requests.remove(answer.requestId());
        }
    }

    @Override
    public void onCancel(final RunRequest cancelled, final CancelDecoder cancel)
    {
        final RequestOutcome outcome = live(cancel.requestId());
        final Recorded request = requests.get(cancel.requestId());
        if (outcome != null && request != null && request.cancelAfterNanos == NONE)
        {
            request.cancelAfterNanos = nowNanos() - request.timeNanos;
            request.answerTokens = cancel.answerTokens();
        }
    }

    @Override
    public void onControl(final ControlDecoder control)
    {
        if (control.kind() == ControlKind.NEW_WEIGHTS)
        {
            newWeights.add(new WeightsPlan.Change(nowNanos() - Math.max(0, startNanos), control.way()));
        }
        cacheResets += control.kind() == ControlKind.CACHE_RESET ? 1 : 0;
    }

    @Override
    public void onFault(final BackendFaultDecoder fault)
    {
        faults++;
    }

    @Override
    public void onTimedOut(final StepTimedOutDecoder timeout)
    {
        faults++;
    }

    @Override
    public void onReset(final BackendResetDecoder reset)
    {
        faults++;
    }

    @Override
    public void onLanded(final RunStep landed, final CommitView step)
    {
        int token = 0;
        for (int entry = 0; keepsOutputs && entry < step.entryCount(); entry++)
        {
            final int emitted = step.emitted(entry);
            final Recorded request =
                emitted == 0 || live(step.requestId(entry)) == null ? null : requests.get(step.requestId(entry));
            for (int i = 0; i < emitted; i++, token++)
            {
                if (request != null)
                {
                    request.output.token(step.token(token));
                }
            }
            if (request != null)
            {
                request.output.step(emitted);
            }
        }
    }

    @Override
    public void onEnded(final RunRequest ended, final FreeDecoder end)
    {
        final RequestOutcome outcome = live(end.requestId());
        super.onEnded(ended, end);
        lastEndNanos = nowNanos();
        if (begunAhead.containsKey(end.requestId()))
        {
            begunAhead.put(end.requestId(), nowNanos());
        }
        final Recorded request = requests.get(end.requestId());
        if (outcome != null && outcome.isCompleted() && request != null && request.conversationId != NONE)
        {
            lastOfConversation.put(request.conversationId, end.requestId());
        }
    }

    /**
     * The requests of the run; to be called when all groups were read.
     *
     * @param fromNanos those that had ended before are left out.
     */
    RecordedWorkload workload(final long fromNanos)
    {
        final long[] ids = idsFrom(fromNanos);
        final int count = ids.length;
        final long start = Math.max(Math.max(0, startNanos), fromNanos);
        final List<WorkloadRequest> list = new ArrayList<>(count);
        final DirectBuffer[] submits = new DirectBuffer[count];
        final RecordedOutput[] outputs = new RecordedOutput[keepsOutputs ? count : 0];
        for (int index = 0; index < count; index++)
        {
            final Recorded request = requests.get(ids[index]);
            final boolean follows = request.predecessorId != NONE && request.timeNanos >= fromNanos &&
                Arrays.binarySearch(ids, request.predecessorId) >= 0;
            list.add(request.request(ids[index], start, follows ? request.predecessorId : NONE));
            submits[index] = request.submit;
            if (keepsOutputs)
            {
                outputs[index] = request.output;
            }
        }
        return new RecordedWorkload(list, submits, keepsOutputs ? outputs : null,
            new RecordedWorkload.Traits(hasDrafts, hasDeadlines, blockSizeTokens, start));
    }

    /** By ascending id. */
    private long[] idsFrom(final long fromNanos)
    {
        final long[] ids = new long[requests.size()];
        int count = 0;
        for (final Long2ObjectHashMap<Recorded>.KeyIterator keys = requests.keySet().iterator(); keys.hasNext(); )
        {
            final long id = keys.nextLong();
            final RequestOutcome outcome = outcomes().get(id);
            ids[count] = id;
            count += outcome == null || !outcome.hasEnded() || outcome.endNanos() >= fromNanos ? 1 : 0;
        }
        Arrays.sort(ids, 0, count);
        return Arrays.copyOf(ids, count);
    }

    /** Requests that were submitted before a time and had not ended then. */
    long begunBefore(final long nanos)
    {
        return requests.values().stream().filter(request -> request.timeNanos < nanos).count() -
            (requests.size() - idsFrom(nanos).length);
    }

    /** Changes of weights from a time on, counted from there; {@code null} if there was none. */
    WeightsPlan newWeights(final long fromNanos)
    {
        final long passedNanos = Math.max(0, fromNanos - Math.max(0, startNanos));
        final List<WeightsPlan.Change> later = newWeights.stream().filter(change -> change.atNanos() >= passedNanos)
            .map(change -> new WeightsPlan.Change(change.atNanos() - passedNanos, change.way())).toList();
        return later.isEmpty() ? null : new WeightsPlan(later);
    }

    /** Faults, timeouts and resets of ranks. */
    long faults()
    {
        return faults;
    }

    long cacheResets()
    {
        return cacheResets;
    }

    /** Requests whose predecessor has a higher id, so that they are not known to follow it. */
    long lowerFollowers()
    {
        return lowerFollowers;
    }

    /** Requests that are left out, because they were refused before they could wait. */
    long leftOut()
    {
        return outcomes().size() - requests.size() + idsGivenAgain();
    }
}
