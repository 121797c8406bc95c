// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

/**
 * One finding of {@code doctor}.
 *
 * @param name   the check
 * @param state  {@code ok}, {@code missing} or {@code damaged}
 * @param needed whether commands fail without it
 * @param detail what was found
 * @param remedy what to do; empty if nothing is missing
 */
public record Check(String name, String state, boolean needed, String detail, String remedy)
{
    private static final String OK = "ok";

    public static Check ok(final String name, final String detail)
    {
        return new Check(name, OK, true, detail, "");
    }

    public static Check missing(final String name, final String detail, final String remedy)
    {
        return new Check(name, "missing", true, detail, remedy);
    }

    public static Check damaged(final String name, final String detail, final String remedy)
    {
        return new Check(name, "damaged", true, detail, remedy);
    }

    public boolean ok()
    {
        return state.equals(OK);
    }

    /** A part that only some uses need. */
    public Check optional()
    {
        return new Check(name, state, false, detail, remedy);
    }
}
