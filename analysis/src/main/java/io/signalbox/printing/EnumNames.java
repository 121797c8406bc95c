// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import java.util.Locale;

/** Constants of the journal's enumerations as the command line names them. */
public final class EnumNames
{
    private EnumNames()
    {
    }

    /** {@code fewest-requests}, for programs. */
    public static String label(final Enum<?> constant)
    {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@code fewest requests}, for people. */
    public static String words(final Enum<?> constant)
    {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
