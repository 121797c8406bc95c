// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

/**
 * One finding of {@code doctor}.
 *
 * @param needed whether commands fail without it.
 * @param remedy what to do, or empty where nothing is missing.
 */
record Check(String name, boolean ok, boolean needed, String detail, String remedy)
{
    static Check ok(final String name, final String detail)
    {
        return new Check(name, true, true, detail, "");
    }

    static Check missing(final String name, final String detail, final String remedy)
    {
        return new Check(name, false, true, detail, remedy);
    }

    /** Something that only some uses need. */
    Check optional()
    {
        return new Check(name, ok, false, detail, remedy);
    }
}
