// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.trtllm;

/** Of which of its versions TensorRT-LLM's rules are followed where they differ. */
public enum RouterEdition
{
    /**
     * Pull request 12315 as merged: a strict request comes first even where it names no rank, and the target of a rank
     * may exceed its cap where more requests are placed than admission lets through.
     */
    PR_12315,
    /** Commit 04fe30a9: only a strict request with a hint comes first, and the target ends at the cap. */
    MAIN
}
