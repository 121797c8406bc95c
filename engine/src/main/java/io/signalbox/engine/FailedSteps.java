// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.ring.Handover;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.WithdrawalCause;
import io.signalbox.event.codec.WithdrawnDecoder;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Tells a listener which steps failed. One thread reads the groups; the executor of callbacks runs the listener, one failure
 * after the other.
 */
final class FailedSteps
{
    private final Executor callbacks;
    private final Consumer<Completion.StepFailure> listener;
    private final ConcurrentLinkedQueue<Completion.StepFailure> untold = new ConcurrentLinkedQueue<>();
    /** Of the group's input. */
    private String sentence = "";

    FailedSteps(final Executor callbacks, final Consumer<Completion.StepFailure> listener)
    {
        this.callbacks = callbacks;
        this.listener = listener;
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
            untold.add(Completion.StepFailure.of(
                withdrawn.rank(), withdrawn.step(), detail.isEmpty() ? sentence : detail));
            new Handover(callbacks, this::tell).handOver();
        }
        sentence = "";
    }

    private void tell()
    {
        synchronized (this)
        {
            for (Completion.StepFailure next = untold.poll(); next != null; next = untold.poll())
            {
                listener.accept(next);
            }
        }
    }
}
