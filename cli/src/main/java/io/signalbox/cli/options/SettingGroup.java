// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import java.util.List;

/** A group of options, some of which settings make. */
public interface SettingGroup
{
    /** The options that settings make, in the order of the help. */
    List<SettingOptions> settings();
}
