// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

/** Why a template cannot be read or rendered. */
final class TemplateFault extends RuntimeException
{
    private static final long serialVersionUID = 1;

    TemplateFault(final String message)
    {
        super(message, null, false, false);
    }

    /** The same fault, of something in this line. */
    TemplateFault at(final int line)
    {
        return getMessage().startsWith("line ") ? this : new TemplateFault("line " + line + ": " + getMessage());
    }
}
