// SPDX-License-Identifier: Apache-2.0
/**
 * Internal: images of a scheduler, from which an equal one is made. An image has the fields of its objects by name; which
 * classes have state, and which a new scheduler has already, is told in one place.
 */
package io.signalbox.image;
