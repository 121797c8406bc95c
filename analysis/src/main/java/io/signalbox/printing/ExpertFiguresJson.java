// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.whatif.ExpertFigures;

import java.io.IOException;

/** The load of experts in a re-run as JSON. */
final class ExpertFiguresJson
{
    private ExpertFiguresJson()
    {
    }

    /** @param figures {@code null}: not asked for. */
    static void write(final JsonGenerator json, final ExpertFigures figures) throws IOException
    {
        if (figures == null)
        {
            json.writeNull();
            return;
        }
        json.writeStartObject();
        json.writeNumberField("tokens", figures.tokens());
        json.writeNumberField("unrecordedTokens", figures.unrecorded());
        json.writeArrayFieldStart("hottest");
        for (final ExpertFigures.HotExpert expert : figures.hottest())
        {
            json.writeStartObject();
            json.writeNumberField("layer", expert.layer());
            json.writeNumberField("expert", expert.expert());
            json.writeNumberField("tokens", expert.tokens());
            Json.real(json, "timesTheMean", expert.timesTheMean());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeNumberField("devices", figures.devices());
        Json.object(json, "busiestOverEven", body ->
        {
            Json.real(json, "inOrder", figures.inOrder());
            Json.real(json, "striped", figures.striped());
            Json.real(json, "balancedForUnchanged", figures.ofUnchanged());
            Json.real(json, "balanced", figures.balanced());
        });
        json.writeEndObject();
    }
}
