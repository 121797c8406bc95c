// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import java.util.List;
import java.util.Map;

/** Something that a template can call: a macro, a method of a value, or a function that every template has. */
@FunctionalInterface
interface Function
{
    Object call(Arguments arguments);

    /** The arguments of a call. */
    record Arguments(List<Object> values, Map<String, Object> named)
    {
        /** The argument at this place, or of this name. */
        Object get(final int index, final String name, final Object absent)
        {
            return index < values.size() ? values.get(index) : named.getOrDefault(name, absent);
        }

        /** @throws TemplateFault if it is absent. */
        Object require(final int index, final String name)
        {
            final Object value = get(index, name, this);
            if (value == this)
            {
                throw new TemplateFault("the argument '" + name + "' is missing");
            }
            return value;
        }

        Arguments from(final int index)
        {
            return new Arguments(values.subList(Math.min(index, values.size()), values.size()), named);
        }
    }
}
