// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.joint;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepTokens;
import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupReader;
import io.signalbox.event.InputWriter;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs the requests of a {@link JointRecord} through an engine. Its backend gives each token the recorded routing, and
 * samples the recorded tokens. The pool has as many blocks as the record has slots, of one token each.
 */
final class JointReplay extends EventReader
{
    private static final Duration SECOND = Duration.ofSeconds(1);
    /** The record computes the prompts of two waiting requests, 33 tokens, in one step. */
    private static final int STEP_TOKENS = 33;
    private static final int MAX_RUNNING = 4;

    final Map<String, List<String>> events = new LinkedHashMap<>();
    final Map<String, RoutedExperts> rows = new HashMap<>();
    final Map<String, Completion> ended = new HashMap<>();
    private final JointRecord joint;
    private final RecordedBackend backend = new RecordedBackend();
    private final Map<Long, JointRecord.Request> byId = new HashMap<>();
    private final Map<Integer, Place> content = new HashMap<>();
    private final GroupReader messages = new GroupReader();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final ScheduleDecoder schedule = new ScheduleDecoder();
    private Place lowestEvicted;
    private int evictedUpTo;

    /** The token whose KV a block holds. */
    private record Place(String name, int position)
    {
    }

    JointReplay(final JointRecord joint)
    {
        this.joint = joint;
    }

    /**
     * Runs the requests.
     *
     * @param waves how many requests are submitted together; a wave begins when those before it have ended but for one.
     */
    void run(final int... waves) throws Exception
    {
        final AtomicLong clock = new AtomicLong();
        final EngineConfig context = new EngineConfig().scheduler(SchedulerConfig.builder().ranks(1).blockSizeTokens(1)
            .kvBlocks(joint.slotCount() + 1).stepTokens(STEP_TOKENS).maxRunning(MAX_RUNNING).router("round-robin")
            .capture(joint.shape()).build()).backend(backend).clock(clock::incrementAndGet)
            .wakeSource(EngineConfig.WakeSource.CALLER)
            .listener((group, offset, length) ->
            {
                readEvictions(group, offset, length);
                readGroup(group, offset, length);
            });
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            final Map<JointRecord.Request, CompletionHandle> handles = new LinkedHashMap<>();
            final InputWriter inputs = new InputWriter();
            int next = 0;
            for (final int wave : waves)
            {
                for (int i = 0; i < wave; i++)
                {
                    final JointRecord.Request request = joint.requests.get(next++);
                    byId.put((long)next, request);
                    handles.put(request, engine.submit(
                        CompletionRequest.prompt(request.prompt()).maxNewTokens(request.output().length).routedExperts(0)));
                }
                // All of a wave are there when the first step is planned.
                inputs.wake().timeNanos(clock.incrementAndGet());
                engine.offer(inputs.buffer(), 0, inputs.length(), null);
                final int last = next == joint.requests.size() ? 0 : 1;
                while (backend.reports() && handles.values().stream().filter(handle -> !isEnded(handle)).count() > last)
                {
                    backend.report();
                }
            }
            for (final Map.Entry<JointRecord.Request, CompletionHandle> handle : handles.entrySet())
            {
                ended.put(handle.getKey().name(), handle.getValue().await(SECOND));
                rows.put(handle.getKey().name(), handle.getValue().takeRoutedExperts(SECOND).orElse(null));
            }
        }
    }

    private boolean isEnded(final CompletionHandle handle)
    {
        return handle.tokenCount() == byId.get(handle.requestId()).output().length;
    }

    @Override
    protected void onSchedule(final StepView step)
    {
        for (int i = 0; i < step.admittedCount(); i++)
        {
            event(name(step.admittedRequestId(i)), "match " + step.matchedBlocks(i));
        }
        for (int i = 0, end; i < step.changeCount(); i = end)
        {
            end = i + 1;
            while (end < step.changeCount() && step.changeRequestId(end) == step.changeRequestId(i) &&
                step.changeIsMatch(end) == step.changeIsMatch(i))
            {
                end++;
            }
            if (!step.changeIsMatch(i))
            {
                allocated(step, i, end);
            }
        }
    }

    private void allocated(final StepView step, final int from, final int to)
    {
        final String name = name(step.changeRequestId(from));
        event(name, "allocate " + JointRecord.range(step.changeIndex(from), step.changeIndex(to - 1) + 1));
        for (int i = from; i < to; i++)
        {
            content.put(step.changeBlockId(i), new Place(name, step.changeIndex(i)));
        }
    }

    /** A step evicts the last blocks of a prefix first; consecutive ones make one event. */
    private void readEvictions(final DirectBuffer group, final int offset, final int length)
    {
        messages.wrap(group, offset, length);
        while (messages.next())
        {
            header.wrap(group, messages.offset());
            if (header.templateId() == ScheduleDecoder.TEMPLATE_ID)
            {
                schedule.wrapAndApplyHeader(group, messages.offset(), header);
                schedule.admitted().forEach(admitted ->
                {
                });
                schedule.evicted().forEach(evicted -> evict(content.get(evicted.blockId())));
            }
        }
    }

    private void evict(final Place place)
    {
        final List<String> evictions = events.computeIfAbsent("", unknown -> new ArrayList<>());
        if (lowestEvicted != null && lowestEvicted.equals(new Place(place.name, place.position + 1)))
        {
            evictions.remove(evictions.size() - 1);
        }
        else
        {
            evictedUpTo = place.position + 1;
        }
        lowestEvicted = place;
        evictions.add("evict " + place.name + " " + JointRecord.range(place.position, evictedUpTo));
    }

    @Override
    protected void onRequeued(final RequeuedDecoder requeued)
    {
        final int released = requeued.released().count();
        event(name(requeued.requestId()), "preempted with " + released);
        event(name(requeued.requestId()), "release " + released);
    }

    private String name(final long id)
    {
        return byId.get(id).name();
    }

    private void event(final String name, final String event)
    {
        events.computeIfAbsent(name, unknown -> new ArrayList<>()).add(event);
    }

    /** A model with the recorded answers. */
    private final class RecordedBackend implements Backend
    {
        private final Deque<Runnable> steps = new ArrayDeque<>();
        private ModelShape shape;
        private CompletionSink sink;

        @Override
        public BackendCapabilities capabilities()
        {
            return BackendCapabilities.named("recorded").capturesExperts(true).build();
        }

        @Override
        public void start(final int ranks, final ModelShape captured, final CompletionSink completions)
        {
            shape = captured;
            sink = completions;
        }

        @Override
        public void submit(final StepView step)
        {
            final StepTokens tokens = new StepTokens().begin(step);
            final UnsafeBuffer ids = new UnsafeBuffer(new byte[step.tokens() * shape.rowBytes()]);
            int at = 0;
            for (int entry = 0; entry < step.entryCount(); entry++)
            {
                final JointRecord.Request request = byId.get(step.requestId(entry));
                final int end = step.start(entry) + step.tokenCount(entry);
                for (int position = step.start(entry); position < end; position++)
                {
                    for (final short id : joint.row(request.name(), position))
                    {
                        ids.putByte(at++, (byte)id);
                    }
                }
                tokens.entry(step.start(entry));
                if (step.samples(entry))
                {
                    tokens.accept(request.output()[end - request.prompt().length]);
                }
            }
            final int epoch = step.epoch();
            final long number = step.step();
            steps.add(() -> sink.d2hComplete(CompletionSink.NOW, epoch, 0, number, tokens, new Rows(ids, shape)));
        }

        boolean reports()
        {
            return !steps.isEmpty();
        }

        void report()
        {
            steps.remove().run();
        }

        @Override
        public void abort(final int rank, final long step)
        {
        }

        @Override
        public void close()
        {
        }
    }

    private record Rows(DirectBuffer buffer, ModelShape shape) implements CaptureSlice
    {
        @Override
        public int offset()
        {
            return 0;
        }

        @Override
        public int rowCount()
        {
            return buffer.capacity() / shape.rowBytes();
        }

        @Override
        public int rowBytes()
        {
            return shape.rowBytes();
        }

        @Override
        public void release()
        {
        }
    }
}
