// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.testkit;

import io.signalbox.journal.JournalConfig;

/** A contract that needs a journal. */
public final class BadContract
{
    private BadContract()
    {
    }

    /** The configuration that it needs. */
    public static Class<?> needs()
    {
        return JournalConfig.class;
    }
}
