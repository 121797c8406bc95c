// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.diff;

import io.signalbox.whatif.WhatIf;

/** A diff that asks what if. */
final class BadPair
{
    private final WhatIf other;

    BadPair(final WhatIf other)
    {
        this.other = other;
    }

    boolean same(final Object object)
    {
        return other.equals(object);
    }
}
