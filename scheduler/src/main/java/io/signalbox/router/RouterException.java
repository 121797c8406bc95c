// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/** A router broke its contract: it threw, or its choice is not allowed. Its scheduler must not be used afterwards. */
public final class RouterException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    private final String fault;
    private final boolean standstill;

    /** @param routerFault what the router did, in words that follow "the router", without a period. */
    public RouterException(final String routerFault)
    {
        this(routerFault, null);
    }

    public RouterException(final String routerFault, final Throwable cause)
    {
        this("a router " + routerFault + ".", routerFault, false, cause);
    }

    private RouterException(final String message, final String fault, final boolean standstill, final Throwable cause)
    {
        super(message, cause);
        this.fault = fault;
        this.standstill = standstill;
    }

    /** The router left requests in the queue, and no later event would wake them. */
    public static RouterException standstill(final String routerFault)
    {
        return new RouterException("a router " + routerFault + ".", routerFault, true, null);
    }

    /** Whether the router left requests in the queue that no later event would wake. */
    public boolean isStandstill()
    {
        return standstill;
    }

    /** The router's fault, in words that follow "the router". */
    public String fault()
    {
        return fault;
    }

    /** The same with the name of the router, its version and the remedy. */
    public RouterException by(final DpRouterProvider router)
    {
        return new RouterException("the router " + router.label() + ", version " + router.version() + ", " + fault +
            "; report it to the author of the router, or choose another one.", fault,
            standstill, getCause() == null ? this : getCause());
    }
}
