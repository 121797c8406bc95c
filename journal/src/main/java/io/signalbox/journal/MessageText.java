// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.GroupReader;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.CancelDecoder;
import io.signalbox.event.codec.CommitDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.DigestDecoder;
import io.signalbox.event.codec.ForwardDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.TickDecoder;
import io.signalbox.event.codec.WakeDecoder;
import org.agrona.sbe.MessageDecoderFlyweight;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** One message as text: its name, then every field by name. */
final class MessageText
{
    private final Map<Integer, MessageDecoderFlyweight> decoders = List.<MessageDecoderFlyweight>of(
        new SubmitDecoder(), new CancelDecoder(), new ControlDecoder(), new WakeDecoder(), new TickDecoder(),
        new ForwardDecoder(), new D2hCompleteDecoder(), new BackendFaultDecoder(), new StepTimedOutDecoder(),
        new BackendResetDecoder(), new AcceptedDecoder(), new RefusedDecoder(), new PlacedDecoder(),
        new ScheduleDecoder(), new CommitDecoder(), new FreeDecoder(), new DigestDecoder(), new RequeuedDecoder()).stream()
        .collect(Collectors.toMap(MessageDecoderFlyweight::sbeTemplateId, Function.identity()));

    String of(final GroupReader message)
    {
        final MessageDecoderFlyweight decoder = decoders.get(message.templateId());
        if (decoder == null)
        {
            return "(message of unknown template " + message.templateId() + ", " + message.messageLength() + " bytes)";
        }
        decoder.wrap(message.buffer(), message.offset() + MessageHeaderDecoder.ENCODED_LENGTH,
            message.header().blockLength(), message.header().version());
        return decoder.appendTo(new StringBuilder()).toString();
    }
}
