// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: the seam for backends that compute a model.
 *
 * <p>A {@link io.signalbox.serving.BackendProvider} declares a backend under a label, and a service entry makes it
 * known, as for routers.
 */
package io.signalbox.serving;
