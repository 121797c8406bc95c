// SPDX-License-Identifier: Apache-2.0

/** How other systems decide, record by record. */
package io.signalbox.conformance;
