// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

/**
 * Description of a launch for reports.
 *
 * @param kernel      name of the kernel.
 * @param matrix      rows and columns of the matrix that the kernel multiplies with, such as {@code 64 x 2048}; empty if the
 *                    kernel does not read one whole matrix.
 * @param matrixBytes bytes of this matrix; 0 if {@code matrix} is empty.
 */
public record LaunchTraits(String kernel, String matrix, long matrixBytes)
{
}
