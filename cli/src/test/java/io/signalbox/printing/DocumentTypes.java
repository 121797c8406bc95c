// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.cli.commands.DoctorCommand;
import io.signalbox.cli.console.GpuReportFile;
import io.signalbox.cli.console.ServedDocument;
import io.signalbox.inspect.BlockRow;
import io.signalbox.inspect.EventQuery;
import io.signalbox.inspect.ExpertQuery;
import io.signalbox.inspect.FaultQuery;
import io.signalbox.inspect.MomentQuery;
import io.signalbox.inspect.PlacementQuery;
import io.signalbox.inspect.RankQuery;
import io.signalbox.inspect.RequestQuery;
import io.signalbox.inspect.SeriesQuery;
import io.signalbox.inspect.StepQuery;
import io.signalbox.printing.incident.IncidentReport;
import io.signalbox.printing.page.WindowReport;
import io.signalbox.printing.sweep.SweepDocument;

import java.util.List;
import java.util.Map;

/** The records of all documents, each ahead of those that refer to its fields. */
final class DocumentTypes
{
    static final List<Class<?>> ALL = List.of(
        RunDocument.class, WindowReport.class, ServedDocument.class, RequestDocument.class, RequestQuery.RequestRow.class,
        StepQuery.StepRow.class, PlacementQuery.PlacementRow.class, PlacementQuery.CandidateRow.class,
        FaultQuery.FaultRow.class, BlockRow.class, RankQuery.RankRow.class, SeriesQuery.SeriesRow.class,
        ExpertQuery.ExpertRow.class, ExpertQuery.HotExpertRow.class, MomentQuery.MomentRequest.class,
        MomentQuery.MomentRank.class, MomentQuery.MomentBlock.class, EventQuery.EventRow.class,
        ReplayDocument.class, RunsReport.RunsDocument.class, SnapshotReport.SnapshotDocument.class,
        RedactReport.RedactDocument.class, RowExport.ExportDocument.class, RowDescription.class,
        TraceFile.TraceDocument.class, PerfettoFile.TimelineDocument.class, WhatIfDocument.class, DiffDocument.class,
        DiffDocument.FiguresDocument.class,
        ComparisonFiles.ComparisonDocument.class, IncidentReport.IncidentDocument.class, SweepDocument.Plan.class,
        SweepDocument.class,
        RouterList.RouterDocument.class, DoctorCommand.DoctorDocument.class,
        GpuReportFile.GpuDocument.class, GpuReportFile.ProbeDocument.class, CalibrateDocument.class, CostDocument.class,
        ModelsDocument.class);

    /** The records of rows, with the ends of their tables. */
    static final Map<Class<?>, Class<? extends TableDocument.End>> TABLES = Map.ofEntries(
        Map.entry(RequestQuery.RequestRow.class, TableDocument.OfJournal.class),
        Map.entry(StepQuery.StepRow.class, TableDocument.OfJournal.class),
        Map.entry(PlacementQuery.PlacementRow.class, TableDocument.OfJournal.class),
        Map.entry(PlacementQuery.CandidateRow.class, TableDocument.OfJournal.class),
        Map.entry(FaultQuery.FaultRow.class, TableDocument.OfJournal.class),
        Map.entry(BlockRow.class, TableDocument.OfJournal.class),
        Map.entry(RankQuery.RankRow.class, TableDocument.OfJournal.class),
        Map.entry(SeriesQuery.SeriesRow.class, TableDocument.OfJournal.class),
        Map.entry(ExpertQuery.ExpertRow.class, TableDocument.OfExperts.class),
        Map.entry(ExpertQuery.HotExpertRow.class, TableDocument.OfExperts.class),
        Map.entry(MomentQuery.MomentRequest.class, TableDocument.OfMoment.class),
        Map.entry(MomentQuery.MomentRank.class, TableDocument.OfMoment.class),
        Map.entry(MomentQuery.MomentBlock.class, TableDocument.OfMoment.class),
        Map.entry(EventQuery.EventRow.class, TableDocument.OfJournal.class));

    private DocumentTypes()
    {
    }
}
