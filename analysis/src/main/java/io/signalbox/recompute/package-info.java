// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: the committed steps of a journal, computed again on a backend and compared with the recorded results.
 *
 * <p>The recorded plans drive the backend, with the recorded tokens and block tables; no scheduler decides anything.
 */
package io.signalbox.recompute;
