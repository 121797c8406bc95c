// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import java.util.HashMap;
import java.util.Map;

/** The variables that a statement sees. What it sets is gone after the loop or the macro around it. */
final class Scope
{
    private final Scope outer;
    private final Rendering rendering;
    private final Map<String, Object> values = new HashMap<>();

    Scope(final Rendering rendering, final Map<String, ?> values)
    {
        outer = null;
        this.rendering = rendering;
        this.values.putAll(values);
    }

    private Scope(final Scope outer)
    {
        this.outer = outer;
        rendering = outer.rendering;
    }

    Scope inner()
    {
        return new Scope(this);
    }

    Rendering rendering()
    {
        return rendering;
    }

    Object get(final String name)
    {
        for (Scope scope = this; scope != null; scope = scope.outer)
        {
            if (scope.values.containsKey(name))
            {
                return scope.values.get(name);
            }
        }
        final Object function = TemplateFunctions.get(name, rendering);
        return function == null ? new Undefined(name) : function;
    }

    void set(final String name, final Object value)
    {
        values.put(name, value);
    }
}
