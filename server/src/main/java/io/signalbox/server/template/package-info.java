// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: chat templates of checkpoints.
 *
 * <p>{@link io.signalbox.server.template.ChatTemplate} reads and renders the part of Jinja that such templates use. A
 * template is hostile input: it sees nothing but the values of its rendering, and steps, characters and depth are bounded.
 */
package io.signalbox.server.template;
