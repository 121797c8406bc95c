// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.cli.commands;

import io.signalbox.cli.Main;

/** A command that starts the program again. */
final class BadCommand
{
    void again()
    {
        Main.main(new String[0]);
    }
}
