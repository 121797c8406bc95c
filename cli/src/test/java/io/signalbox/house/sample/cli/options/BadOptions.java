// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.cli.options;

import io.signalbox.cli.commands.DoctorCommand;

/** Options that know a command. */
final class BadOptions
{
    DoctorCommand command()
    {
        return new DoctorCommand(null);
    }
}
