// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.ptx.PtxKernels;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The tests of {@link CaptureKernelsTest} on the PTX that ships. */
class CaptureKernelsOnPtxTest extends CaptureKernelsTest
{
    @RegisterExtension
    static final PtxKernels PTX = PtxKernels.of(KernelNames.SLOT_OPEN, KernelNames.LOGITS_SEEDED, KernelNames.CAPTURE_COPY,
        KernelNames.PACK_ROWS, KernelNames.PACK_WEIGHTED_ROWS, KernelNames.SAMPLE_SEEDED, KernelNames.DECODER_KEEP_WEIGHTS);
}
