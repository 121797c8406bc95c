// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.cli.console.ServedDocument;
import io.signalbox.inspect.BlockRow;
import io.signalbox.inspect.EventQuery;
import io.signalbox.inspect.ExpertQuery;
import io.signalbox.inspect.MomentQuery;
import io.signalbox.inspect.RankQuery;
import io.signalbox.inspect.RequestQuery;
import io.signalbox.inspect.StepQuery;

import java.util.List;
import java.util.Map;

/** The records of all documents, each ahead of those that refer to its fields. */
final class DocumentTypes
{
    static final List<Class<?>> ALL = List.of(
        RunDocument.class, ServedDocument.class, RequestDocument.class, RequestQuery.RequestRow.class,
        StepQuery.StepRow.class, BlockRow.class, RankQuery.RankRow.class, ExpertQuery.ExpertRow.class,
        ExpertQuery.HotExpertRow.class, MomentQuery.MomentRequest.class, MomentQuery.MomentRank.class,
        MomentQuery.MomentBlock.class, EventQuery.EventRow.class,
        ReplayDocument.class, WhatIfDocument.class, DiffDocument.class,
        CalibrateDocument.class, ModelsDocument.class);

    /** The records of rows, with the ends of their tables. */
    static final Map<Class<?>, Class<? extends TableDocument.End>> TABLES = Map.of(
        RequestQuery.RequestRow.class, TableDocument.OfJournal.class,
        StepQuery.StepRow.class, TableDocument.OfJournal.class,
        BlockRow.class, TableDocument.OfJournal.class,
        RankQuery.RankRow.class, TableDocument.OfJournal.class,
        ExpertQuery.ExpertRow.class, TableDocument.OfExperts.class,
        ExpertQuery.HotExpertRow.class, TableDocument.OfExperts.class,
        MomentQuery.MomentRequest.class, TableDocument.OfMoment.class,
        MomentQuery.MomentRank.class, TableDocument.OfMoment.class,
        MomentQuery.MomentBlock.class, TableDocument.OfMoment.class,
        EventQuery.EventRow.class, TableDocument.OfJournal.class);

    private DocumentTypes()
    {
    }
}
