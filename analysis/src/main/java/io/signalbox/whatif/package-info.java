// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: a recorded run, re-run in virtual time under other settings.
 *
 * <p>{@link io.signalbox.whatif.WhatIf} takes the requests of a run from its groups and simulates them again: unchanged, and
 * once for each {@link io.signalbox.whatif.Variant}. The report compares decisions, requests and figures.
 */
package io.signalbox.whatif;
