// SPDX-License-Identifier: Apache-2.0
/**
 * What a forward step of a served model costs on measured GPUs: times of kernels fitted to published measurements, and
 * how far whole deployments differ from the sum of their kernels. Pure, apart from reading its resource and files that
 * a caller names.
 */
package io.signalbox.cost;
