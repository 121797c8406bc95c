// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;

/** The few things that go between a test and its worker process. */
final class Wire
{
    private Wire()
    {
    }

    /** As UTF-16, so that lone surrogates arrive as they are. */
    static void writeArguments(final DataOutputStream out, final List<String> arguments) throws IOException
    {
        out.writeInt(arguments.size());
        for (final String argument : arguments)
        {
            out.writeInt(argument.length());
            out.writeChars(argument);
        }
        out.flush();
    }

    static String[] readArguments(final DataInputStream in) throws IOException
    {
        final String[] arguments = new String[in.readInt()];
        for (int i = 0; i < arguments.length; i++)
        {
            final char[] characters = new char[in.readInt()];
            for (int j = 0; j < characters.length; j++)
            {
                characters[j] = in.readChar();
            }
            arguments[i] = new String(characters);
        }
        return arguments;
    }

    static void write(final DataOutputStream out, final byte[] bytes) throws IOException
    {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    static byte[] read(final DataInputStream in) throws IOException
    {
        return in.readNBytes(in.readInt());
    }
}
