// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.compare;

import io.signalbox.journal.JournalReader;
import io.signalbox.printing.Decimals;
import io.signalbox.whatif.WhatIf;

/** A comparison of policies that opens journals, knows recorded runs, and prints. */
final class BadComparison
{
    boolean same(final JournalReader reader, final WhatIf recorded)
    {
        return reader.equals(recorded) || Decimals.grouped(1).isEmpty();
    }
}
