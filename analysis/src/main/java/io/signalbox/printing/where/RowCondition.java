// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.where;

import io.signalbox.ConfigException;
import io.signalbox.printing.TableColumn;

import java.util.List;
import java.util.function.Predicate;

/** A condition on the rows of a table: comparisons of columns with constants, joined by {@code and} and {@code or}. */
public interface RowCondition extends Predicate<Record>
{
    /**
     * Reads a condition such as {@code tenant=acme and (ttft>1s or restarts>0)}; {@code and} binds more tightly than
     * {@code or}.
     *
     * @param columns of the table.
     * @throws ConfigException if it is no condition on these columns, or exceeds a limit.
     */
    static RowCondition of(final String text, final List<TableColumn> columns)
    {
        return new ConditionParser(text, columns).parse();
    }

    /** All of these, or any of these. */
    record Joined(List<RowCondition> parts, boolean isAnd) implements RowCondition
    {
        @Override
        public boolean test(final Record row)
        {
            for (final RowCondition part : parts)
            {
                if (part.test(row) != isAnd)
                {
                    return !isAnd;
                }
            }
            return isAnd;
        }
    }
}
