// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.ptx.PtxKernels;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The tests of {@link PackedProductsTest} on the PTX that ships. */
class PackedProductsOnPtxTest extends PackedProductsTest
{
    @RegisterExtension
    static final PtxKernels PTX = PtxKernels.of(KernelNames.DECODER_LINEAR + "fp8",
        KernelNames.DECODER_BIASED_LINEAR + "fp8", KernelNames.DECODER_CLAMPED_DOWN + "mxfp4");
}
