// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

/**
 * A device, or the driver itself, did not answer within a limit. Memory that the device may still write to must not be
 * freed, and further calls may never return: the owner leaves everything as it is.
 */
public final class DeviceStuckException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    /** @param message one clause without a full stop: what was waited for, and for how long. */
    public DeviceStuckException(final String message)
    {
        super(message);
    }

    /** Whether an owner that could not be made because of a failure may give back the parts that it already has. */
    public static boolean permitsFreeing(final Throwable failure)
    {
        return !(failure instanceof DeviceStuckException);
    }
}
