// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.cli.printing;

import io.signalbox.cli.options.PathConverter;

/** A printer that reads options. */
final class BadPrinting
{
    PathConverter converter()
    {
        return new PathConverter();
    }
}
