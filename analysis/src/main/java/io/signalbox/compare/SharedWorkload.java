// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

import io.signalbox.workload.Workload;

import java.util.function.Supplier;

/** A workload that several runs read: made when the first one asks, dropped when the last one is done with it. */
final class SharedWorkload
{
    private final Supplier<Workload> source;
    private Workload workload;
    private int users;

    SharedWorkload(final Supplier<Workload> source, final int users)
    {
        this.source = source;
        this.users = users;
    }

    synchronized Workload get()
    {
        workload = workload == null ? source.get() : workload;
        return workload;
    }

    synchronized void release()
    {
        workload = --users == 0 ? null : workload;
    }
}
