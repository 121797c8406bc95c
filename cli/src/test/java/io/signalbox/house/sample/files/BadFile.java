// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.files;

import io.signalbox.journal.JournalException;

/** A file that knows whose it is. */
final class BadFile
{
    String name(final JournalException fault)
    {
        return fault.kind().name();
    }
}
