// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.sim;

import io.signalbox.whatif.WhatIfReport;

/** A simulator that knows of a recorded run. */
final class BadQuestion
{
    WhatIfReport report;
}
