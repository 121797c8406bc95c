// SPDX-License-Identifier: Apache-2.0

/**
 * API: the interface between the engine and whatever computes.
 *
 * <p>A backend accepts step plans and reports launches and results, in any order across ranks. The engine checks every
 * report against the plan.
 */
package io.signalbox.backend;
