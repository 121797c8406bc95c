// SPDX-License-Identifier: Apache-2.0
/** Fits cost models to measurements of served models, and scores predictions against them. */
package io.signalbox.calibrate;
