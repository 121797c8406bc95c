// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.trtllm;

/** The version of TensorRT-LLM that a record was made with. */
public enum RouterEdition
{
    /** Pull request 12315 as merged. */
    PR_12315,
    /** Commit 04fe30a9. */
    MAIN
}
