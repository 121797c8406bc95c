// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.BufferAccess;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.ChronicleLogging;

import java.util.ArrayList;
import java.util.List;

/** The JVM flags that writing and reading a journal need. */
public final class JvmFlags
{
    private static final Module BASE = Object.class.getModule();
    private static final Module CHRONICLE = ChronicleLogging.module();
    /** Chronicle Queue reflects on these. */
    private static final List<String> OPENED = List.of("java.lang.reflect", "sun.nio.ch");
    private static final String CLEANER = "jdk.internal.ref";

    private JvmFlags()
    {
    }

    /** Flags that writing needs and this JVM was started without. */
    public static List<String> missing()
    {
        final List<String> flags = new ArrayList<>();
        for (final String name : OPENED)
        {
            if (!BASE.isOpen(name, CHRONICLE))
            {
                flags.add(BufferAccess.opens(name, CHRONICLE));
            }
        }
        flags.addAll(BufferAccess.missing());
        if (!BASE.isExported(CLEANER, CHRONICLE))
        {
            flags.add("--add-exports=java.base/" + CLEANER + "=" + BufferAccess.target(CHRONICLE));
        }
        return flags;
    }

    /** @throws JournalException JVM_FLAGS */
    static void requireToWrite()
    {
        require(missing());
    }

    /** @throws JournalException JVM_FLAGS */
    public static void requireToRead()
    {
        require(BufferAccess.missing());
    }

    private static void require(final List<String> missing)
    {
        if (!missing.isEmpty())
        {
            throw new JournalException(Kind.JVM_FLAGS, "this JVM was started without flags that a journal needs: " +
                String.join(" ", missing) + "; start it with them, or with all of the file scripts/embedding.flags.");
        }
    }
}
