// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

import org.agrona.DirectBuffer;

import java.util.List;

/** The JVM flag that Agrona's buffers need; without it no event can be written or read. */
public final class BufferAccess
{
    private static final Module BASE = Object.class.getModule();
    private static final String UNSAFE = "jdk.internal.misc";

    private BufferAccess()
    {
    }

    /** The flag if this JVM was started without it, else nothing. */
    public static List<String> missing()
    {
        final Module agrona = DirectBuffer.class.getModule();
        return BASE.isExported(UNSAFE, agrona) ? List.of() : List.of(opens(UNSAFE, agrona));
    }

    /** @throws ConfigException if this JVM was started without the flag. */
    public static void require()
    {
        final List<String> missing = missing();
        if (!missing.isEmpty())
        {
            throw new ConfigException("this JVM was started without a flag that the engine needs: " + missing.get(0) +
                "; start it with this flag, or with all of the file scripts/embedding.flags.");
        }
    }

    /** The flag that opens a package of the JDK to a library. */
    public static String opens(final String packageName, final Module library)
    {
        return "--add-opens=java.base/" + packageName + "=" + target(library);
    }

    /** The name of a module in a flag. */
    public static String target(final Module library)
    {
        return library.isNamed() ? library.getName() : "ALL-UNNAMED";
    }
}
