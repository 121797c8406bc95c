// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

/** A message whose parts leave it: it was not written by this program, or not read from its beginning. */
public final class MessageFormatException extends IllegalArgumentException
{
    private static final long serialVersionUID = 1;

    MessageFormatException(final String message)
    {
        super(message);
    }

    static MessageFormatException withinFields(final String message, final int fieldsOffset, final int end)
    {
        return new MessageFormatException(
            message + " ends at byte " + end + ", within its fields, which begin at byte " + fieldsOffset);
    }
}
