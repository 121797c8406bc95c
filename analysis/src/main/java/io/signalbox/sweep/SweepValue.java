// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sweep;

/**
 * A value of an option in a plan.
 *
 * @param text   as the command line has it.
 * @param stored as plans and documents store it: a file by its name and the digest of its content. So no document holds a
 *               path, and a file with another content is another value. All other values are stored as they are.
 */
public record SweepValue(String text, String stored)
{
    /** A value that names no file. */
    public static SweepValue of(final String text)
    {
        return new SweepValue(text, text);
    }
}
