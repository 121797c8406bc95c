// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.diff;

import io.signalbox.journal.segment.Chain;

/** A diff that reads the bytes of a journal, which the journal alone may do. */
final class BadDiff
{
    private final Chain other;

    BadDiff(final Chain other)
    {
        this.other = other;
    }

    boolean same(final Object object)
    {
        return other.equals(object);
    }
}
