// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.printing;

/**
 * One finding of {@code doctor}.
 *
 * @param needed whether commands fail without it.
 * @param remedy advice, or empty if nothing is missing.
 */
public record Check(String name, boolean ok, boolean needed, String detail, String remedy)
{
    public static Check ok(final String name, final String detail)
    {
        return new Check(name, true, true, detail, "");
    }

    public static Check missing(final String name, final String detail, final String remedy)
    {
        return new Check(name, false, true, detail, remedy);
    }

    /** A part that only some uses need. */
    public Check optional()
    {
        return new Check(name, ok, false, detail, remedy);
    }
}
