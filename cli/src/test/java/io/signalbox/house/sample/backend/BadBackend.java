// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.backend;

import com.lmax.disruptor.RingBuffer;
import io.signalbox.scheduler.SchedulerConfig;

/** A backend interface that knows the scheduler, and a ring. */
interface BadBackend
{
    void start(SchedulerConfig config, RingBuffer<Object> ring);

    /** Interfaces are passed over when samples are counted. */
    final class BadStart
    {
        int ranks(final SchedulerConfig config)
        {
            return config.ranks();
        }
    }
}
