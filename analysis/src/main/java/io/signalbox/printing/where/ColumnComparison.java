// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.where;

import io.signalbox.printing.TableColumn;

import java.math.BigDecimal;

/**
 * A column compared with a constant. An absent value meets {@code = none} and no other comparison. The text "none",
 * which is a value of some columns, meets {@code = none} too.
 *
 * @param constant a {@link BigDecimal} in the unit of the record, a {@link String}, or {@code null} for none.
 */
record ColumnComparison(TableColumn column, Operator operator, Object constant) implements RowCondition
{
    /** An absent value as a condition names it. */
    static final String NONE = "none";

    /** How a value is compared, the longest names first. */
    enum Operator
    {
        NOT_EQUAL("!="), AT_MOST("<="), AT_LEAST(">="), EQUAL("="), LESS("<"), MORE(">"), CONTAINS("~");

        final String sign;

        Operator(final String sign)
        {
            this.sign = sign;
        }

        /** Whether it asks for equality only, which texts and absent values have too. */
        boolean isEquality()
        {
            return this == EQUAL || this == NOT_EQUAL;
        }
    }

    @Override
    public boolean test(final Record row)
    {
        final Object value = column.value(row);
        if (constant == null)
        {
            return (value == null || value.equals(NONE)) == (operator == Operator.EQUAL);
        }
        if (value == null)
        {
            return false;
        }
        if (constant instanceof final String text)
        {
            return operator == Operator.CONTAINS ? value.toString().contains(text) :
                value.equals(text) == (operator == Operator.EQUAL);
        }
        if (value instanceof final Double real)
        {
            return !real.isNaN() && !real.isInfinite() && holds(BigDecimal.valueOf(real).compareTo((BigDecimal)constant));
        }
        return holds(BigDecimal.valueOf(((Number)value).longValue()).compareTo((BigDecimal)constant));
    }

    private boolean holds(final int order)
    {
        return switch (operator)
        {
            case EQUAL -> order == 0;
            case NOT_EQUAL -> order != 0;
            case LESS -> order < 0;
            case AT_MOST -> order <= 0;
            case MORE -> order > 0;
            case AT_LEAST -> order >= 0;
            case CONTAINS -> false;
        };
    }
}
