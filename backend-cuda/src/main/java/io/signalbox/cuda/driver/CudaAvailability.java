// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import java.util.List;

/**
 * The findings of {@link CudaProbe}.
 *
 * @param message one sentence: what is there, or what is missing and what to do.
 * @param devices empty unless the state is {@link State#READY}.
 */
public record CudaAvailability(State state, String message, List<CudaDevice> devices)
{
    public CudaAvailability
    {
        devices = List.copyOf(devices);
    }

    public boolean ready()
    {
        return state == State.READY;
    }

    /** Why a GPU can or cannot be used, in the order in which it is found out. */
    public enum State
    {
        /** The native part of JCuda is not on the library path, or there is none for this platform. */
        NO_BINDING,
        /** The binding is there; the driver's library is not. */
        NO_DRIVER,
        DRIVER_TOO_OLD,
        /** The driver's library lacks a function that is called. */
        DRIVER_INCOMPLETE,
        NO_DEVICE,
        /** The driver answered a call with an error. */
        DRIVER_FAILED,
        /** A call of the driver has not returned in time. */
        DRIVER_STUCK,
        READY
    }
}
