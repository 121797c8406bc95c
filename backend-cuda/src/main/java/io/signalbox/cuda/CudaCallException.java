// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

/** The driver answered a call with an error. */
final class CudaCallException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    CudaCallException(final String call, final int result, final String name)
    {
        super(call + " answered " + name + " (" + result + ")");
    }
}
