// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.cli.console;

import io.signalbox.cli.options.PathConverter;

/** A printer that reads options. */
final class BadConsole
{
    PathConverter converter()
    {
        return new PathConverter();
    }
}
