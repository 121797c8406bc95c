// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import java.lang.reflect.Proxy;
import java.util.List;

/**
 * Runs an action when the process is asked to stop, in place of the end of the JVM, so that the command itself ends with its
 * exit code. The class of the JDK for signals is not part of Java: without it the JVM ends as usual.
 */
final class StopSignals
{
    private StopSignals()
    {
    }

    /** @param stop called by a thread of the JVM, once for each signal. */
    static void handle(final Runnable stop)
    {
        try
        {
            final Class<?> signal = Class.forName("sun.misc.Signal");
            final Class<?> handler = Class.forName("sun.misc.SignalHandler");
            final Object action = Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler},
                (proxy, method, arguments) -> answer(proxy, method.getName(), arguments, stop));
            for (final String name : List.of("TERM", "INT"))
            {
                signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), action);
            }
        }
        catch (final ReflectiveOperationException e)
        {
            // A JVM that was started with -Xrs, or one without the class: its own end is all there is.
            return;
        }
    }

    private static Object answer(final Object proxy, final String method, final Object[] arguments, final Runnable stop)
    {
        switch (method)
        {
            case "handle" -> stop.run();
            case "equals" ->
            {
                return proxy == arguments[0];
            }
            case "hashCode" ->
            {
                return System.identityHashCode(proxy);
            }
            default ->
            {
                return "stop";
            }
        }
        return null;
    }
}
