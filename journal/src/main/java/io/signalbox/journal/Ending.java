// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.codec.Closing;

/** How a journal ends. */
public enum Ending
{
    /** Without a seal: its writer was stopped, or is still writing. */
    OPEN(Closing.NO),
    /** The run ended, and its writer sealed the journal. */
    CLOSED(Closing.YES),
    /** The disk was full: the run was cut short, and its writer sealed what was written. */
    DISK_FULL(Closing.DISK_FULL),
    /** The run failed, for no reason of the journal: its writer sealed what was written. */
    FAILED(Closing.FAILED),
    /** The writer was stopped, and recovery sealed what it had written. */
    RECOVERED(Closing.RECOVERED);

    private final Closing code;

    Ending(final Closing code)
    {
        this.code = code;
    }

    Closing code()
    {
        return code;
    }

    /** {@code null} if this version knows no such code. */
    static Ending of(final int code)
    {
        for (final Ending ending : values())
        {
            if (ending.code.value() == code)
            {
                return ending;
            }
        }
        return null;
    }

    /** Whether a seal says so, and no writer can be at work. */
    public boolean isSealed()
    {
        return this != OPEN;
    }
}
