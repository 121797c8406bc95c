// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.ConfigException;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A column of a table: a component of the record of its rows. */
public record TableColumn(DocumentField field, Kind kind)
{
    private static final String NANOS = "Nanos";

    /** The values of a column. A value that is absent is {@code null}. */
    public enum Kind
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

    /** All columns of a table. */
    public static List<TableColumn> of(final Class<? extends Record> row)
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

    /**
     * The column with a name as {@link #name} gives it, or without its unit; case does not matter.
     *
     * @param option that has the name.
     * @throws ConfigException if there is none.
     */
    public static TableColumn named(final List<TableColumn> columns, final String name, final String option)
    {
        for (final TableColumn column : columns)
        {
            if (column.name().equalsIgnoreCase(name) || column.bare().equalsIgnoreCase(name))
            {
                return column;
            }
        }
        throw new ConfigException(option + " names the column '" + name + "', which the table does not have; give " +
            columns.stream().map(TableColumn::name).collect(Collectors.joining(", ")) + ".");
    }

    /** The name in documents, with its unit. */
    public String name()
    {
        return field.name();
    }

    /** {@code null} if the value is absent. */
    public Object value(final Record row)
    {
        return field.value(row);
    }

    private String bare()
    {
        final String component = field.accessor().getName();
        return component.endsWith(NANOS) ? component.substring(0, component.length() - NANOS.length()) : component;
    }

    /** {@code ttft, ms} for the component ttftNanos. */
    String title()
    {
        return bare().replaceAll("([A-Z])", " $1").toLowerCase(Locale.ROOT) + kind.unit;
    }
}
