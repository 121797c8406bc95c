// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: files that appear in one step, facts about files, and the words for what the system refuses.
 */
package io.signalbox.files;
