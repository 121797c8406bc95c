// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.router;

import io.signalbox.scheduler.BatchSettings;

/** A router that reads how batches are planned. */
final class BadRouter
{
    boolean same(final BatchSettings settings)
    {
        return settings.equals(this);
    }
}
