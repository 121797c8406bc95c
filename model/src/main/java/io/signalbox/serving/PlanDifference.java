// SPDX-License-Identifier: Apache-2.0
package io.signalbox.serving;

import java.lang.reflect.RecordComponent;
import java.util.Objects;

/** Names the first field in which two plans differ. */
final class PlanDifference
{
    private PlanDifference()
    {
    }

    /** A text such as {@code attention.heads is 8 and not 4}; {@code null} if the records are equal. */
    static String of(final Record expected, final Record found)
    {
        return expected.equals(found) ? null : of("", expected, found);
    }

    private static String of(final String path, final Record expected, final Record found)
    {
        for (final RecordComponent component : expected.getClass().getRecordComponents())
        {
            final Object one = value(component, expected);
            final Object other = value(component, found);
            if (!Objects.equals(one, other))
            {
                final String name = path + component.getName();
                return one instanceof Record first && other instanceof Record second ? of(name + ".", first, second) :
                    name + " is " + other + " and not " + one;
            }
        }
        throw new IllegalStateException(expected + " and " + found + " differ in no component");
    }

    private static Object value(final RecordComponent component, final Record of)
    {
        try
        {
            return component.getAccessor().invoke(of);
        }
        catch (final ReflectiveOperationException e)
        {
            throw new IllegalStateException("the accessor of " + component + " cannot be called", e);
        }
    }
}
