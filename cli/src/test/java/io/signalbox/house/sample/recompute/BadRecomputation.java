// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.recompute;

import io.signalbox.whatif.WhatIf;

/** A recomputation that asks what if. */
final class BadRecomputation
{
    private final WhatIf other;

    BadRecomputation(final WhatIf other)
    {
        this.other = other;
    }

    boolean same(final Object object)
    {
        return other.equals(object);
    }
}
