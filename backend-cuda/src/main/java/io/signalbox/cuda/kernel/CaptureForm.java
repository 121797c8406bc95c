// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

/** The source of the rows of the capture view. */
public enum CaptureForm
{
    /** The router kernel writes them itself. */
    FUSED("writesCapture"),
    /** A second kernel copies the ids that the router kernel gives. */
    UNFUSED("exportsIds"),
    /** A second selection is made from the logits that the router kernel is given. */
    BESIDE("exposesLogits");

    private final String capability;

    CaptureForm(final String capability)
    {
        this.capability = capability;
    }

    /** The flag that a kernel set must declare to serve in this form. */
    String capability()
    {
        return capability;
    }
}
