// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.whatif;

import io.signalbox.cuda.CudaBackend;

/** A what-if that knows a GPU. */
final class BadModel
{
    private final CudaBackend other;

    BadModel(final CudaBackend other)
    {
        this.other = other;
    }

    boolean same(final Object object)
    {
        return other.equals(object);
    }
}
