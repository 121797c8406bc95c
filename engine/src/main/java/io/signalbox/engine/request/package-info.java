// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: a live request: its tokens, its rows, how it is sampled, and the room that it takes.
 */
package io.signalbox.engine.request;
