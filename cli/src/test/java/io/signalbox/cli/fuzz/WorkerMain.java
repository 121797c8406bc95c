// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import com.sun.management.ThreadMXBean;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * Runs command after command in one process, and answers over a Unix domain socket: what the JVM itself prints to the
 * standard streams must not mix with the answers.
 */
public final class WorkerMain
{
    private WorkerMain()
    {
    }

    /** @param arguments the socket's path, and the name of a {@link CommandUnderTest}. */
    public static void main(final String[] arguments) throws IOException, ReflectiveOperationException
    {
        final CommandUnderTest command =
            (CommandUnderTest)Class.forName(arguments[1]).getDeclaredConstructor().newInstance();
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(Path.of(arguments[0]))))
        {
            final DataInputStream in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel)));
            final DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel)));
            boolean more = true;
            while (more)
            {
                more = answer(in, out, command, threads);
            }
        }
        // A command may leave threads behind that are no daemons; the parent wants the process gone.
        System.exit(0);
    }

    private static boolean answer(
        final DataInputStream in, final DataOutputStream out, final CommandUnderTest command, final ThreadMXBean threads)
        throws IOException
    {
        final String[] arguments;
        try
        {
            arguments = Wire.readArguments(in);
        }
        catch (final EOFException e)
        {
            return false;
        }
        final ByteArrayOutputStream result = new ByteArrayOutputStream();
        final ByteArrayOutputStream messages = new ByteArrayOutputStream();
        final long allocated = threads.getCurrentThreadAllocatedBytes();
        final int exitCode = command.run(result, messages, arguments);
        out.writeInt(exitCode);
        out.writeLong(threads.getCurrentThreadAllocatedBytes() - allocated);
        Wire.write(out, result.toByteArray());
        Wire.write(out, messages.toByteArray());
        out.flush();
        return true;
    }
}
