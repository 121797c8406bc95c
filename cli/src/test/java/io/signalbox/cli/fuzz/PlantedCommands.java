// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Commands that a worker process survives badly. */
final class PlantedCommands
{
    private PlantedCommands()
    {
    }

    /** Does not return when it is given {@code --seed=7}. */
    public static final class Hanging implements CommandUnderTest
    {
        public Hanging()
        {
        }

        @Override
        public int run(final OutputStream out, final OutputStream err, final String... arguments)
        {
            while (List.of(arguments).contains("--seed=7"))
            {
                LockSupport.park();
            }
            return new Signalbox().run(out, err, arguments);
        }
    }

    /** Ends its process when it is given {@code --seed=7}. */
    public static final class Ending implements CommandUnderTest
    {
        public Ending()
        {
        }

        @Override
        public int run(final OutputStream out, final OutputStream err, final String... arguments)
        {
            if (List.of(arguments).contains("--seed=7"))
            {
                System.err.println("gone");
                Runtime.getRuntime().halt(0);
            }
            return new Signalbox().run(out, err, arguments);
        }
    }

    /** Allocates far more than its input justifies, and prints to a stream that is not its own. */
    public static final class Wasting implements CommandUnderTest
    {
        public Wasting()
        {
        }

        @Override
        public int run(final OutputStream out, final OutputStream err, final String... arguments)
        {
            final List<byte[]> last = new ArrayList<>(List.of(new byte[0]));
            for (int i = 0; i < 350; i++)
            {
                last.set(0, new byte[10_000_000]);
            }
            System.out.println("stray " + last.get(0).length);
            return new Signalbox().run(out, err, arguments);
        }
    }
}
