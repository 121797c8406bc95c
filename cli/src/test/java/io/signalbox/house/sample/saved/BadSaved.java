// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.saved;

import io.signalbox.scheduler.Scheduler;

/** Saved fields that know what they are the fields of. */
final class BadSaved
{
    private BadSaved()
    {
    }

    static long save(final Scheduler scheduler)
    {
        return scheduler.stateDigest();
    }
}
