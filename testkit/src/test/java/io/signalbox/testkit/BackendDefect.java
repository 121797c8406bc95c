// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

/** Defects of a backend, each with the test of the contract that finds it and a part of the sentence. */
enum BackendDefect
{
    WRONG_STEP("answersEveryStep", "the backend planted reported step 2 of rank 1, which it was never given."),
    OTHER_RANK("answersEveryStep", "the backend planted reported step 1 of rank 0"),
    TWICE("answersEveryStep", "the backend planted reported step 1 of rank 1, which was answered before."),
    NEVER("answersEveryStep", "the backend planted did not answer step 1 of rank 0 within 300 ms."),
    WITHOUT_LAUNCH("answersEveryStep", "reported step 1 of rank 1 without its launch, and declares that it"),
    FEWER_ENTRIES("answersEveryStep", "entries for step 1 of rank 1, which has "),
    ANOTHER_CLOCK("answersEveryStep", " s before the engine began; report "),
    WRONG_START("answersEveryStep", "reported entry 0 of step 1 of rank 1 to start at position 1, and it starts at 0"),
    TWO_TOKENS("answersEveryStep", " with 2 accepted tokens, and it accepts 1"),
    TOKEN_RANGE("answersEveryStep", "sampled token 1000 for entry 0, but tokens are 0 to 999"),
    NO_TOKENS("answersEveryStep", "reported step 1 of rank 1 complete without its tokens"),
    REPEATED_EXPERT("answersEveryStep", "with an id that is no expert or an expert twice in a layer"),
    EXPERT_RANGE("answersEveryStep", "with an id that is no expert or an expert twice in a layer"),
    WEIGHT_NOT_FINITE("capturesCombineWeightsIfAsked", ", or with a combine weight that is not finite"),
    WEIGHTS_UNASKED("capturesCombineWeightsIfAsked", " with routed-expert rows of 6 bytes but came with "),
    NO_WEIGHTS("capturesCombineWeightsIfAsked", " with routed-expert rows of 30 bytes but came with "),
    FEWER_ROWS("answersEveryStep", "tokens with routed-expert rows of 6 bytes but came with "),
    NO_ROWS("answersEveryStep", "step 1 of rank 1 came without its routed-expert rows"),
    WRONG_CHECKSUM("answersEveryStep", "but the backend captured rows with 0000004d"),
    ONE_BUFFER("answersEveryStep", "changed the rows of step 1 of rank 1 before they were released"),
    FAULT("answersEveryStep", "reported the fault STEP_FAILED of step 1 of rank 1: planted"),
    WITHIN_SUBMIT("answersEveryStep", "reported the launch of step 1 of rank 1 from within submit"),
    THROWS_IN_SUBMIT("answersEveryStep", "threw java.lang.IllegalStateException: planted while answering every step"),
    ROWS_WITHOUT_CAPTURE("lendsNoRowsIfCaptureIsOff", "came with routed-expert rows, but capture is off"),
    OTHER_TOKENS_EACH_TIME("generatesTheSameInEveryOrder", " alone, by a second backend, and ["),
    TOKENS_OF_THE_BATCH("generatesTheSameInEveryOrder", " in a crowd, and ["),
    SAMPLES_STOP_TOKENS("leavesOutStopTokensOfShortAnswers", "sampled the stop token "),
    MAY_STOP_TOO_EARLY("leavesOutStopTokensOfShortAnswers", "sampled the stop token "),
    MAY_STOP_TOO_LATE("leavesOutStopTokensOfShortAnswers", "left out token "),
    LEAVES_OUT_OTHERS("leavesOutStopTokensOfShortAnswers", "left out token "),
    WAITS_IN_SUBMIT("acceptsStepsWhileItsReportsWait", "did not return within 1800 ms while taking a step while its "),
    ABORT_THROWS("toleratesTheAbortOfAReportedStep", "threw java.util.NoSuchElementException: step "),
    SILENT_WEIGHTS("replacesItsWeightsOrRefusesByName", "does not declare newWeights, and did not refuse it."),
    SILENT_RESET("resetsARankOrRefusesByName", "does not declare reset, and did not refuse it."),
    NAMELESS_REFUSAL("resetsARankOrRefusesByName", "refuses reset with a sentence that does not name the backend: no"),
    LATE_AFTER_CLOSE("closesOnceForAll", "of rank 0 after close had returned."),
    SECOND_CLOSE_THROWS("closesOnceForAll", "threw java.lang.IllegalStateException: closed already while closing it"),
    HANGS_IN_CLOSE("closesOnceForAll", "did not return within 1800 ms while closing it"),
    NO_CAPABILITIES("declaresWhatItCanDo", "declares null instead of capabilities."),
    CHANGING_CAPABILITIES("declaresWhatItCanDo", "declares something else at each call."),
    THROWS_WHEN_MADE("declaresWhatItCanDo", "threw java.lang.IllegalStateException: planted while declaring"),
    NULL("declaresWhatItCanDo", " is null; return a new backend."),
    HANGS_IN_START("answersEveryStep", "did not return within 1800 ms while answering every step; its thread is in ");

    private final String test;
    private final String sentence;

    BackendDefect(final String test, final String sentence)
    {
        this.test = test;
        this.sentence = sentence;
    }

    String test()
    {
        return test;
    }

    String sentence()
    {
        return sentence;
    }
}
