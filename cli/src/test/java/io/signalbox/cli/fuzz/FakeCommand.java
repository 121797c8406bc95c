// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.util.List;
import java.util.function.Function;

/** A target with a planted fault: it answers some command lines itself, and leaves the others to the real one. */
record FakeCommand(Target real, Function<List<String>, Outcome> fault) implements Target
{
    @Override
    public Outcome run(final List<String> arguments)
    {
        final Outcome planted = fault.apply(arguments);
        return planted == null ? real.run(arguments) : planted;
    }
}
