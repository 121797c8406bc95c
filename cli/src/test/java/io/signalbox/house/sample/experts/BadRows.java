// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.experts;

import io.signalbox.router.DpRouter;

/** Rows that know routers. */
final class BadRows
{
    private final DpRouter other;

    BadRows(final DpRouter other)
    {
        this.other = other;
    }

    boolean same(final Object object)
    {
        return other.equals(object);
    }
}
