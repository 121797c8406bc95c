// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import java.util.AbstractMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a loop tells about itself as {@code loop}. */
final class TemplateLoop extends AbstractMap<Object, Object>
{
    private final List<Object> all;
    private final Map<Object, Object> values = new LinkedHashMap<>();
    private Object last = this;

    TemplateLoop(final List<Object> all, final long depth)
    {
        this.all = all;
        values.put("length", (long)all.size());
        values.put("depth", depth);
        values.put("depth0", depth - 1);
        values.put("cycle", (Function)given ->
            given.values().get((int)((Long)values.get("index0") % given.values().size())));
        values.put("changed", (Function)given ->
        {
            final Object now = given.values();
            final boolean changed = last == this || !TemplateValues.equal(last, now);
            last = now;
            return changed;
        });
    }

    /** The round with this number begins. */
    void at(final int index)
    {
        values.put("index0", (long)index);
        values.put("index", index + 1L);
        values.put("revindex0", all.size() - 1L - index);
        values.put("revindex", (long)all.size() - index);
        values.put("first", index == 0);
        values.put("last", index == all.size() - 1);
        values.put("previtem", index == 0 ? new Undefined("loop.previtem") : all.get(index - 1));
        values.put("nextitem", index == all.size() - 1 ? new Undefined("loop.nextitem") : all.get(index + 1));
    }

    @Override
    public Set<Entry<Object, Object>> entrySet()
    {
        return values.entrySet();
    }

    @Override
    public boolean containsKey(final Object key)
    {
        return values.containsKey(key);
    }

    @Override
    public Object get(final Object key)
    {
        return values.get(key);
    }
}
