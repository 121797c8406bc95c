// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.printing;

import io.signalbox.cuda.CudaBackend;

/** A table that knows a GPU. */
final class BadTable
{
    private final CudaBackend other;

    BadTable(final CudaBackend other)
    {
        this.other = other;
    }

    boolean same(final Object object)
    {
        return other.equals(object);
    }
}
