// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.Engine;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.codec.FreeEncoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.WakeDecoder;
import io.signalbox.experts.RequestRows;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

import static io.signalbox.sim.ListWorkload.arriving;
import static io.signalbox.sim.ListWorkload.following;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The driver with an engine that misbehaves. */
class SimulationDriverTest
{
    /** Does nothing, but ends the given requests when it is first woken. */
    private static final class LazyEngine extends EventReader implements Engine
    {
        private final RequestEnds ends;
        private long[] endsOnWake;
        private boolean woken;

        LazyEngine(final RequestEnds ends, final long... endsOnWake)
        {
            this.ends = ends;
            this.endsOnWake = endsOnWake;
        }

        @Override
        public void offer(final DirectBuffer input, final int offset, final int length, final CaptureSlice rows)
        {
            woken = false;
            readMessage(input, offset, length);
            if (woken)
            {
                final GroupWriter group = new GroupWriter(256);
                group.append(input, offset, length);
                Arrays.stream(endsOnWake).forEach(requestId -> writeFree(group, requestId));
                ends.onGroup(group.buffer(), 0, group.length());
                endsOnWake = new long[0];
            }
        }

        @Override
        protected void onWake(final WakeDecoder wake)
        {
            woken = true;
        }

        private static void writeFree(final GroupWriter group, final long requestId)
        {
            final FreeEncoder free =
                new FreeEncoder().wrapAndApplyHeader(group.buffer(), group.begin(), new MessageHeaderEncoder());
            free.requestId(requestId).reason(FreeReason.LENGTH).releasedCount(0);
            free.weightSpansCount(0);
            free.failure("");
            group.end(MessageHeaderEncoder.ENCODED_LENGTH + free.encodedLength());
        }

        @Override
        public long nextTickNanos()
        {
            return Long.MAX_VALUE;
        }

        @Override
        public RequestRows rows(final long requestId)
        {
            return null;
        }

        @Override
        public void rowsNotTaken(final long requestId)
        {
        }

        @Override
        public void resetRank(final int rank)
        {
            throw new AssertionError("nobody asks for it");
        }

        @Override
        public String describeDiscards()
        {
            return "";
        }

        @Override
        public void awaitProcessed()
        {
            // Nothing is ever under way.
        }

        @Override
        public void close()
        {
            // Holds nothing.
        }
    }

    private static void drive(final ListWorkload workload, final long... endsOnWake)
    {
        final RequestEnds ends = new RequestEnds();
        final SimulatedBackend backend = new SimulatedBackend(SimulationConfig.DEFAULT);
        backend.start(1, null, new RecordingSink());
        final SubmitWriter submits = new SubmitWriter(workload, SchedulerConfig.builder().build(), -1, 0);
        new SimulationDriver(
            new LazyEngine(ends, endsOnWake), backend, ends, workload, submits, null, null, SimulationProgress.NONE).run();
    }

    private static String violation(final ListWorkload workload, final long... endsOnWake)
    {
        return assertThrows(InvariantViolation.class, () -> drive(workload, endsOnWake)).getMessage();
    }

    @Test
    void shouldNameTheRequestsOfAStall()
    {
        final ListWorkload workload = ListWorkload.of(
            arriving(1, 5, 16, 1), arriving(2, 7, 16, 1), arriving(3, 9, 16, 1), following(4, 2, 0));
        assertEquals("the simulation stalls at 9 ns: 2 requests are alive and nothing is left that could happen; " +
            "requests 2, 3", violation(workload, 1));
    }

    @Test
    void shouldStopAtARequestThatEndsTwice()
    {
        final String message = violation(ListWorkload.of(arriving(1, 5, 16, 1), arriving(2, 50, 16, 1)), 1, 1);
        assertEquals("request 1 ended, but it was ENDED", message);
    }

    @Test
    void shouldStopAtAnEndOfWhatWasNeverSubmitted()
    {
        assertEquals("request 2 ended, but it was NOT_SUBMITTED",
            violation(ListWorkload.of(arriving(1, 5, 16, 1), following(2, 1, 9)), 2));
        assertEquals("request 77 ended, but the workload has no such request",
            violation(ListWorkload.of(arriving(1, 5, 16, 1)), 77));
    }

    @Test
    void shouldRefuseAFollowerThatComesBeforeItsPredecessor()
    {
        final String message = violation(ListWorkload.of(following(1, 2, 0), arriving(2, 5, 16, 1)));
        assertTrue(message.contains("request 1 follows request 2"), message);
    }

    @Test
    void shouldCloseTheEngineWhenTheRunFails()
    {
        final BrokenEngine engine = new BrokenEngine();
        final Simulation simulation = new Simulation(
            SchedulerConfig.builder().ranks(1).build(), SimulationConfig.DEFAULT,
            ListWorkload.of(arriving(1, 5, 16, 1)));
        assertThrows(IllegalStateException.class, () -> simulation.run(context -> engine, null, SimulationProgress.NONE));
        assertTrue(engine.closed);
    }

    /** Has failed from the beginning. */
    private static final class BrokenEngine implements Engine
    {
        private boolean closed;

        @Override
        public void offer(final DirectBuffer input, final int offset, final int length, final CaptureSlice rows)
        {
            throw new IllegalStateException("the engine has failed: disk full");
        }

        @Override
        public long nextTickNanos()
        {
            return Long.MAX_VALUE;
        }

        @Override
        public RequestRows rows(final long requestId)
        {
            return null;
        }

        @Override
        public void rowsNotTaken(final long requestId)
        {
        }

        @Override
        public void resetRank(final int rank)
        {
            throw new AssertionError("nobody asks for it");
        }

        @Override
        public String describeDiscards()
        {
            return "";
        }

        @Override
        public void awaitProcessed()
        {
            throw new IllegalStateException("the engine has failed: disk full");
        }

        @Override
        public void close()
        {
            closed = true;
        }
    }
}
