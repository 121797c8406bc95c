// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.whatif.WhatIfReport.Change;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Settings of two runs that differ. */
final class SettingChanges
{
    private SettingChanges()
    {
    }

    /** Those that differ, sorted by name. */
    static Map<String, Change> between(final Map<String, String> before, final Map<String, String> after)
    {
        final TreeSet<String> names = new TreeSet<>(before.keySet());
        names.addAll(after.keySet());
        final Map<String, Change> changes = new TreeMap<>();
        for (final String name : names)
        {
            final String was = before.get(name);
            final String is = after.get(name);
            if (was == null || !was.equals(is))
            {
                changes.put(name, new Change(was, is));
            }
        }
        return changes;
    }
}
