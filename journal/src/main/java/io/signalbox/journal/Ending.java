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
    /** The disk was full: the run was cut short, and its writer sealed the records that were written. */
    DISK_FULL(Closing.DISK_FULL),
    /** The run failed for a reason outside the journal: its writer sealed the records that were written. */
    FAILED(Closing.FAILED),
    /** The writer was stopped, and recovery sealed the records that it had written. */
    RECOVERED(Closing.RECOVERED);

    private final Closing code;

    Ending(final Closing code)
    {
        this.code = code;
    }

    public Closing code()
    {
        return code;
    }

    /** {@code null} if this version does not know the code. */
    public static Ending of(final int code)
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

    /** Whether the journal has a seal, so that no writer can be active. */
    public boolean isSealed()
    {
        return this != OPEN;
    }
}
