// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

/**
 * One request as a file lists it.
 *
 * @param time         in the unit of the file; NaN: the request follows the previous one of its session, or has no time.
 * @param delay        after the end of the previous request of the session, in the unit of the file.
 * @param session      {@code null}: the request belongs to no session.
 * @param ids          names of the prefix up to and including each block; {@code null}: the prompt is the request's own.
 * @param tokensPerId  0: the file does not say it.
 */
record ListedRequest(
    double time,
    double delay,
    String session,
    int promptTokens,
    int outputTokens,
    long[] ids,
    int tokensPerId)
{
}
