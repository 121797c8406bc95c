// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

/** Removes terminal controls from outside text, such as an option's value or a name in a damaged file. */
public final class Printable
{
    private static final char REPLACEMENT = '?';

    private Printable()
    {
    }

    /** The text with a question mark for each control character and each character that changes the text direction. */
    public static String text(final String given)
    {
        final StringBuilder printable = new StringBuilder(given.length());
        given.codePoints().forEach(character -> printable.appendCodePoint(steers(character) ? REPLACEMENT : character));
        return printable.toString();
    }

    private static boolean steers(final int character)
    {
        final int type = Character.getType(character);
        return type == Character.CONTROL || type == Character.LINE_SEPARATOR || type == Character.PARAGRAPH_SEPARATOR ||
            character >= 0x202A && character <= 0x202E || character >= 0x2066 && character <= 0x2069;
    }
}
