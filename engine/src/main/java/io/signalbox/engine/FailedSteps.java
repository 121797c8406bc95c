// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.ring.Handover;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.WithdrawalCause;
import io.signalbox.event.codec.WithdrawnDecoder;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Tells a listener which steps failed. One thread reads the groups; the executor of callbacks runs the listener, one failure
 * after the other. A listener that blocks or throws delays its own calls only: at most {@link #MOST_UNTOLD} failures wait.
 */
final class FailedSteps
{
    /** A listener that is so far behind misses later failures. */
    static final int MOST_UNTOLD = 4096;

    private final Consumer<Completion.StepFailure> listener;
    private final ConcurrentLinkedQueue<Completion.StepFailure> untold = new ConcurrentLinkedQueue<>();
    /** Failures in the queue, and the one that the listener has; the thread that makes it 1 hands over. */
    private final AtomicInteger untoldCount = new AtomicInteger();
    private final Handover handover;
    /** Of the group's input. */
    private String sentence = "";

    FailedSteps(final Executor callbacks, final Consumer<Completion.StepFailure> listener)
    {
        this.listener = listener;
        handover = new Handover(callbacks, this::tell);
    }

    void onBackendFault(final BackendFaultDecoder fault)
    {
        sentence = fault.detail();
    }

    void onStepTimedOut(final StepTimedOutDecoder timeout)
    {
        sentence = "the backend did not report step " + timeout.step() + " of rank " + timeout.rank() + " in time";
    }

    /** A step that is withdrawn because another one failed, or its rank was reset, has not failed itself. */
    void onWithdrawn(final WithdrawnDecoder withdrawn)
    {
        if (withdrawn.cause() != WithdrawalCause.RESET && withdrawn.step() == withdrawn.causeStep())
        {
            final String detail = withdrawn.detail();
            add(Completion.StepFailure.of(withdrawn.rank(), withdrawn.step(), detail.isEmpty() ? sentence : detail));
        }
        sentence = "";
    }

    private void add(final Completion.StepFailure failure)
    {
        if (untoldCount.get() < MOST_UNTOLD)
        {
            untold.add(failure);
            if (untoldCount.getAndIncrement() == 0)
            {
                handover.handOver();
            }
        }
    }

    private void tell()
    {
        boolean told = false;
        try
        {
            do
            {
                told = false;
                listener.accept(untold.remove());
                told = true;
            }
            while (untoldCount.decrementAndGet() > 0);
        }
        finally
        {
            // The listener has thrown, and its thread ends with that.
            if (!told && untoldCount.decrementAndGet() > 0)
            {
                handover.handOver();
            }
        }
    }
}
