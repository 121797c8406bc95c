// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: images of a scheduler.
 *
 * <p>An image has the fields of its objects by name. One class knows which classes have state, and which a new scheduler has
 * already.
 */
package io.signalbox.image;
