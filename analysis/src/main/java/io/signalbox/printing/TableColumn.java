// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import java.util.List;
import java.util.Locale;

/** A column of a table: a component of the record of its rows. */
record TableColumn(DocumentField field, Kind kind)
{
    private static final String NANOS = "Nanos";

    /** The values of a column. A value that is absent is {@code null}. */
    enum Kind
    {
        /** A whole number. */
        NUMBER(""),
        /** Nanoseconds since the start of logical time, shown in seconds. */
        SECONDS(", s"),
        /** Nanoseconds, shown in milliseconds. */
        MILLISECONDS(", ms"),
        /** A {@link Double}. */
        REAL(""),
        /** A {@link String}. */
        TEXT("");

        private final String unit;

        Kind(final String unit)
        {
            this.unit = unit;
        }
    }

    static List<TableColumn> of(final Class<? extends Record> row)
    {
        return DocumentField.of(row).stream().map(field -> new TableColumn(field, kind(field))).toList();
    }

    private static Kind kind(final DocumentField field)
    {
        final Class<?> type = field.accessor().getReturnType();
        return switch (field.unit())
        {
            case SECONDS -> Kind.SECONDS;
            case MILLISECONDS -> Kind.MILLISECONDS;
            case NONE -> type == String.class ? Kind.TEXT :
                type == double.class || type == Double.class ? Kind.REAL : Kind.NUMBER;
        };
    }

    /** The name in documents, with its unit. */
    String name()
    {
        return field.name();
    }

    /** {@code ttft, ms} for the component ttftNanos. */
    String title()
    {
        final String component = field.accessor().getName();
        final String name =
            component.endsWith(NANOS) ? component.substring(0, component.length() - NANOS.length()) : component;
        return name.replaceAll("([A-Z])", " $1").toLowerCase(Locale.ROOT) + kind.unit;
    }
}
