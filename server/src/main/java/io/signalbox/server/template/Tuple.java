// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import java.util.AbstractList;
import java.util.List;

/** A list that is written with round brackets. */
final class Tuple extends AbstractList<Object>
{
    private final List<Object> values;

    Tuple(final List<Object> values)
    {
        this.values = values;
    }

    @Override
    public Object get(final int index)
    {
        return values.get(index);
    }

    @Override
    public int size()
    {
        return values.size();
    }
}
