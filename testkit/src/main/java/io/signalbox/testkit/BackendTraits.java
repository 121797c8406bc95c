// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import java.time.Duration;

/** Traits of a backend that its capabilities do not declare, for a run of the contract. */
record BackendTraits(int vocabularySize, boolean failsSteps, Duration patience)
{
}
