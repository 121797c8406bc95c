// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

/** A setting or an input from outside is wrong. The message is one sentence: what, where, and what to do. */
public final class ConfigException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    public ConfigException(final String message)
    {
        super(message);
    }
}
