// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;

/** A run description names a router that is not installed, or another version of it. */
public final class AbsentRouterException extends ConfigException
{
    private static final long serialVersionUID = 1L;

    AbsentRouterException(final String message)
    {
        super(message);
    }
}
