// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

/** The value of a name that nothing has given: empty as text, false, and a fault in everything else. */
record Undefined(String name)
{
    TemplateFault fault()
    {
        return new TemplateFault("'" + name + "' is undefined");
    }
}
