// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

/**
 * A column of the answer to a {@link JournalQuery}.
 *
 * @param name in camel case.
 */
public record TableColumn(String name, Kind kind)
{
    /** The values of a column. A value that is absent is {@code null}. */
    public enum Kind
    {
        /** A {@link Long}. */
        NUMBER,
        /** A {@link Long} of nanoseconds since the start of logical time, shown in seconds. */
        SECONDS,
        /** A {@link Long} of nanoseconds, shown in milliseconds. */
        MILLISECONDS,
        /** A {@link Double}. */
        REAL,
        /** A {@link String}. */
        TEXT
    }

    static TableColumn number(final String name)
    {
        return new TableColumn(name, Kind.NUMBER);
    }

    static TableColumn seconds(final String name)
    {
        return new TableColumn(name, Kind.SECONDS);
    }

    static TableColumn milliseconds(final String name)
    {
        return new TableColumn(name, Kind.MILLISECONDS);
    }

    static TableColumn real(final String name)
    {
        return new TableColumn(name, Kind.REAL);
    }

    static TableColumn text(final String name)
    {
        return new TableColumn(name, Kind.TEXT);
    }
}
