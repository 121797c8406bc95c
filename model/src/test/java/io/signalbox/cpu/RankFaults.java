// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.event.EventReader;
import io.signalbox.event.codec.BackendFaultDecoder;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The sentences of the faults of a run. */
final class RankFaults extends EventReader
{
    private final Queue<String> details = new ConcurrentLinkedQueue<>();

    @Override
    protected synchronized void onBackendFault(final BackendFaultDecoder fault)
    {
        details.add(fault.detail());
        notifyAll();
    }

    /** Waits for this number of faults. */
    synchronized void await(final int count) throws InterruptedException
    {
        while (details.size() < count)
        {
            wait();
        }
    }

    /** {@code null} if there was no fault. */
    String first()
    {
        return details.peek();
    }
}
