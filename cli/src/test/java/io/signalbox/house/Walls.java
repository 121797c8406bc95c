// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.GeneralCodingRules;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import io.signalbox.PluginFault;
import io.signalbox.StateDigest;
import io.signalbox.config.DoubleText;
import io.signalbox.engine.request.LiveRequests;
import io.signalbox.engine.step.ReportTimes;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RequestRows;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.experts.RowCheck;
import io.signalbox.experts.WeightSpan;
import io.signalbox.journal.Durability;
import io.signalbox.journal.EarlierRequest;
import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JvmFlags;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.VoidedInput;
import io.signalbox.kv.hash.BlockHasher;
import io.signalbox.sim.SimulationConfig;

import java.nio.MappedByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/**
 * Allowed dependencies between rooms, as in docs/architecture.md. A package pattern allows packages between
 * {@code io.signalbox} and the room's name, so that the same rules apply to the samples in the test tree.
 */
final class Walls
{
    private static final String ROOT = "io.signalbox";
    private static final String KV = room("kv");
    private static final String EXPERTS = room("experts");
    private static final String ROUTER = room("router");
    private static final String BATCH = room("batch");
    private static final String SCHEDULER = room("scheduler");
    private static final String EVENT = room("event");
    private static final String ENGINE = room("engine");
    private static final String ENGINE_RING = room("engine.ring");
    private static final String ENGINE_REQUEST = room("engine.request");
    private static final String ENGINE_STEP = room("engine.step");
    private static final String BACKEND = room("backend");
    private static final String STATS = room("stats");
    private static final String STATE = room("state");
    private static final String IMAGE = room("image");
    private static final String SAVED = room("saved");
    private static final String CONFIG = room("config");
    private static final String PLUGIN = room("plugin");
    private static final String FILES = room("files");
    private static final String EXPORT = room("export");
    private static final String JOURNAL = room("journal");
    private static final String JOURNAL_DISK = room("journal.disk");
    private static final String JOURNAL_SEGMENT = room("journal.segment");
    private static final String JOURNAL_SNAPSHOT = room("journal.snapshot");
    private static final String SIM = room("sim");
    private static final String WORKLOAD = room("workload");
    private static final String REPORT = room("report");
    private static final String COST = room("cost");
    private static final String CALIBRATE = room("calibrate");
    private static final String INSPECT = room("inspect");
    private static final String DIFF = room("diff");
    private static final String RECOMPUTE = room("recompute");
    private static final String COMPARE = room("compare");
    private static final String SWEEP = room("sweep");
    private static final String WHATIF = room("whatif");
    private static final String PRINTING = room("printing");
    private static final String CUDA = room("cuda");
    private static final String MODEL = room("model");
    private static final String SERVING = room("serving");
    private static final String CPU = room("cpu");
    private static final String METRICS = room("metrics");
    private static final String SERVER = room("server");
    private static final String TRANSPORT = room("server.http");
    private static final String CLI = room("cli");
    private static final String CONSOLE = room("cli.console");
    private static final String OPTIONS = room("cli.options");
    private static final String COMMANDS = room("cli.commands");
    private static final String TESTKIT = room("testkit");

    private static final Set<String> TEMPLATE_IDS = Set.of("templateId", "sbeTemplateId", "templateIdEncodingOffset");

    private static final String[] ENGINE_AND_BELOW =
        {KV, EXPERTS, ROUTER, BATCH, SCHEDULER, EVENT, ENGINE, BACKEND, STATS, STATE, IMAGE, SAVED, CONFIG,
            PLUGIN, FILES, EXPORT};
    private static final String[] SIM_MODULE = {SIM, WORKLOAD, REPORT, COST};
    private static final String[] ANALYSIS = {INSPECT, DIFF, RECOMPUTE, COMPARE, SWEEP, WHATIF, CALIBRATE, PRINTING};

    private Walls()
    {
    }

    private static String room(final String name)
    {
        return ROOT + ".." + name + "..";
    }

    /** Every wall between rooms, by name. {@link CoreWalls} has the walls between the core and the JDK. */
    static Map<String, ArchRule> all()
    {
        final Map<String, ArchRule> walls = new TreeMap<>();
        addCore(walls);
        walls.put("scheduler knows neither engine nor backend", noClasses()
            .that().resideInAPackage(SCHEDULER).should().dependOnClassesThat(ours(ENGINE, BACKEND)));
        walls.put("event knows nothing of ours", noClasses()
            .that().resideInAPackage(EVENT).should().dependOnClassesThat(oursExcept(EVENT)));
        walls.put("backend is an interface over events", noClasses()
            .that().resideInAPackage(BACKEND).should().dependOnClassesThat(oursExcept(BACKEND, EVENT)));
        walls.put("stats listens to the fold of events and uses nothing else", noClasses()
            .that().resideInAPackage(STATS).should().dependOnClassesThat(oursExcept(STATS, STATE, EVENT)));
        walls.put("state folds events and nothing else", noClasses()
            .that().resideInAPackage(STATE)
            .should().dependOnClassesThat(oursExcept(STATE, EVENT).and(not(belongToAnyOf(StateDigest.class)))));
        walls.put("metrics reads stats and nothing else", noClasses()
            .that().resideInAPackage(METRICS).should().dependOnClassesThat(oursExcept(METRICS, STATS)));
        // Hashing a prompt is a pure function, and the rows of an ended request are a result; neither is a decision.
        walls.put("engine decides nothing", noClasses().that().resideInAPackage(ENGINE).should()
            .dependOnClassesThat(ours(KV, EXPERTS, ROUTER, BATCH)
                .and(not(belongToAnyOf(BlockHasher.class, RequestRows.class, RoutedExperts.class, RowCheck.class,
                    WeightSpan.class)))));
        walls.put("the engine module and those below it know no other module", noClasses()
            .that().resideInAnyPackage(ENGINE_AND_BELOW)
            .should().dependOnClassesThat(ours(ANALYSIS).or(ours(SIM_MODULE))
                .or(ours(JOURNAL, CUDA, CPU, MODEL, SERVING, METRICS, SERVER, CLI))));
        addEngine(walls);
        addJournal(walls);
        addAnalysis(walls);
        addModels(walls);
        addImages(walls);
        walls.put("only event switches over template ids", noClasses()
            .that().resideOutsideOfPackage(EVENT).should().callMethodWhere(templateId()));
        walls.put("only event makes encoders of messages", noClasses()
            .that().resideOutsideOfPackage(EVENT).should().callConstructorWhere(encoder()));
        walls.put("the test kit knows the engine and what is below it", noClasses()
            .that().resideInAPackage(TESTKIT).should().dependOnClassesThat(above(TESTKIT)));
        walls.put("nothing that runs knows the test kit", noClasses()
            .that().resideOutsideOfPackage(TESTKIT).should().dependOnClassesThat().resideInAPackage(TESTKIT));
        walls.put("rooms form no cycle", slices().assignedFrom(new Rooms()).should().beFreeOfCycles());
        addServer(walls);
        addCommandLine(walls);
        addLibraries(walls);
        return walls;
    }

    private static void addCore(final Map<String, ArchRule> walls)
    {
        walls.put("kv knows settings and saved fields", noClasses()
            .that().resideInAPackage(KV)
            .should().dependOnClassesThat(oursExcept(KV, CONFIG, SAVED).and(not(belongToAnyOf(StateDigest.class)))));
        walls.put("experts knows kv, settings and saved fields", noClasses()
            .that().resideInAPackage(EXPERTS)
            .should().dependOnClassesThat(
                oursExcept(EXPERTS, KV, CONFIG, SAVED).and(not(belongToAnyOf(StateDigest.class)))));
        walls.put("router knows kv, experts, events and settings", noClasses()
            .that().resideInAPackage(ROUTER)
            .should().dependOnClassesThat(oursExcept(ROUTER, KV, EXPERTS, EVENT, CONFIG)
                .and(not(belongToAnyOf(StateDigest.class)))));
        walls.put("what is decided and recorded touches no file", noClasses()
            .that().resideInAnyPackage(KV, EXPERTS, ROUTER, BATCH, SCHEDULER, IMAGE, EVENT, STATE, BACKEND, CONFIG)
            .should().dependOnClassesThat(ours(FILES, EXPORT)));
        walls.put("files know no room", noClasses()
            .that().resideInAPackage(FILES).should().dependOnClassesThat(oursExcept(FILES)));
        walls.put("settings know no room", noClasses()
            .that().resideInAPackage(CONFIG).should().dependOnClassesThat(oursExcept(CONFIG)));
        walls.put("batch knows kv, experts, router, events, settings and saved fields", noClasses()
            .that().resideInAPackage(BATCH)
            .should().dependOnClassesThat(oursExcept(BATCH, KV, EXPERTS, ROUTER, EVENT, CONFIG, SAVED)
                .and(not(belongToAnyOf(StateDigest.class)))));
        walls.put("plug-ins are jars", noClasses()
            .that().resideInAPackage(PLUGIN).should().dependOnClassesThat(oursExcept(PLUGIN, FILES)));
    }

    /** From the lowest room up: ring, request, step, and the engine itself. */
    private static void addEngine(final Map<String, ArchRule> walls)
    {
        walls.put("rings know no other room of the engine", noClasses()
            .that().resideInAPackage(ENGINE_RING)
            .should().dependOnClassesThat(resideInAPackage(ENGINE).and(not(resideInAPackage(ENGINE_RING)))));
        walls.put("live requests know rings, and no other room of the engine", noClasses()
            .that().resideInAPackage(ENGINE_REQUEST)
            .should().dependOnClassesThat(resideInAPackage(ENGINE)
                .and(not(resideInAnyPackage(ENGINE_RING, ENGINE_REQUEST)))));
        walls.put("steps in flight know rings, and no other room of the engine", noClasses()
            .that().resideInAPackage(ENGINE_STEP)
            .should().dependOnClassesThat(resideInAPackage(ENGINE)
                .and(not(resideInAnyPackage(ENGINE_RING, ENGINE_STEP)))));
        walls.put("the engine alone knows its rooms", noClasses()
            .that().resideOutsideOfPackage(ENGINE)
            .should().dependOnClassesThat(resideInAnyPackage(ENGINE_RING, ENGINE_REQUEST, ENGINE_STEP)
                .and(not(belongToAnyOf(LiveRequests.class, ReportTimes.class)))));
    }

    /** From the lowest room up: disk, segment, snapshot, and the journal itself. */
    private static void addJournal(final Map<String, ArchRule> walls)
    {
        final DescribedPredicate<JavaClass> words = belongToAnyOf(Durability.class, EarlierRequest.class, Ending.class,
            JournalConfig.class, JournalException.class, JvmFlags.class, ReadProgress.class, VoidedInput.class);
        walls.put("the disk knows no journal", noClasses()
            .that().resideInAPackage(JOURNAL_DISK)
            .should().dependOnClassesThat(resideInAPackage(JOURNAL).and(not(words))
                .and(not(resideInAPackage(JOURNAL_DISK)))));
        walls.put("segments know neither snapshots nor what is read of them", noClasses()
            .that().resideInAPackage(JOURNAL_SEGMENT)
            .should().dependOnClassesThat(resideInAPackage(JOURNAL).and(not(words))
                .and(not(resideInAnyPackage(JOURNAL_DISK, JOURNAL_SEGMENT)))));
        walls.put("snapshots know no reader", noClasses()
            .that().resideInAPackage(JOURNAL_SNAPSHOT)
            .should().dependOnClassesThat(resideInAPackage(JOURNAL).and(not(words))
                .and(not(resideInAnyPackage(JOURNAL_DISK, JOURNAL_SEGMENT, JOURNAL_SNAPSHOT)))));
        walls.put("the journal alone knows its rooms", noClasses()
            .that().resideOutsideOfPackage(JOURNAL)
            .should().dependOnClassesThat().resideInAnyPackage(JOURNAL_DISK, JOURNAL_SEGMENT, JOURNAL_SNAPSHOT));
    }

    private static void addAnalysis(final Map<String, ArchRule> walls)
    {
        walls.put("journal knows the engine and what is below it", noClasses()
            .that().resideInAPackage(JOURNAL).should().dependOnClassesThat(above(JOURNAL)));
        walls.put("the simulator knows the engine and what is below it", noClasses()
            .that().resideInAnyPackage(SIM_MODULE).should().dependOnClassesThat(above(SIM_MODULE)));
        walls.put("inspect asks the journal, with the figures of reports", noClasses()
            .that().resideInAPackage(INSPECT).should().dependOnClassesThat(above(INSPECT, JOURNAL, REPORT)));
        walls.put("diff asks the journal", noClasses()
            .that().resideInAPackage(DIFF).should().dependOnClassesThat(above(DIFF, JOURNAL)));
        walls.put("recompute asks the journal and models", noClasses()
            .that().resideInAPackage(RECOMPUTE)
            .should().dependOnClassesThat(above(RECOMPUTE, JOURNAL, MODEL, SERVING)
                .and(not(belongToAnyOf(SimulationConfig.class)))));
        walls.put("compare asks the simulator", noClasses()
            .that().resideInAPackage(COMPARE).should().dependOnClassesThat(above(COMPARE, SIM, WORKLOAD, REPORT, COST)));
        walls.put("costs know settings and files", noClasses()
            .that().resideInAPackage(COST).should().dependOnClassesThat(oursExcept(COST, CONFIG, FILES)));
        walls.put("calibrate asks the journal, the simulator and costs", noClasses()
            .that().resideInAPackage(CALIBRATE)
            .should().dependOnClassesThat(above(CALIBRATE, JOURNAL, WORKLOAD, SIM, REPORT, COST)));
        walls.put("what-if asks the journal and the simulator", noClasses()
            .that().resideInAPackage(WHATIF)
            .should().dependOnClassesThat(above(WHATIF, COMPARE, INSPECT, JOURNAL, CALIBRATE, SIM, WORKLOAD, REPORT, COST)));
        walls.put("printing knows neither GPU nor command line", noClasses()
            .that().resideInAPackage(PRINTING).should().dependOnClassesThat(ours(CUDA, CPU, METRICS, SERVER, CLI)));
    }

    private static void addImages(final Map<String, ArchRule> walls)
    {
        walls.put("images know the core and nothing above it", noClasses()
            .that().resideInAPackage(IMAGE).should().dependOnClassesThat(
                oursExcept(IMAGE, SAVED, SCHEDULER).and(not(belongToAnyOf(ConfigException.class)))));
        walls.put("saved fields know no room", noClasses()
            .that().resideInAPackage(SAVED).should().dependOnClassesThat(oursExcept(SAVED)));
    }

    private static void addModels(final Map<String, ArchRule> walls)
    {
        walls.put("the CUDA backend knows neither journal nor simulator", noClasses()
            .that().resideInAPackage(CUDA)
            .should().dependOnClassesThat(
                ours(ANALYSIS).or(ours(JOURNAL, SIM, WORKLOAD, REPORT, METRICS, SERVER, CLI, CPU, ENGINE, SCHEDULER))));
        walls.put("the model knows shapes, files and nothing else of ours", noClasses()
            .that().resideInAPackage(MODEL).should().dependOnClassesThat(oursExcept(MODEL, FILES)));
        walls.put("the seam of model backends knows models, files, settings and the backend interface with its steps",
            noClasses().that().resideInAPackage(SERVING)
                .should().dependOnClassesThat(oursExcept(SERVING, MODEL, FILES, CONFIG, BACKEND, EVENT)));
        walls.put("the CPU backend knows models and what a backend may know", noClasses()
            .that().resideInAPackage(CPU)
            .should().dependOnClassesThat(oursExcept(CPU, SERVING, MODEL, CONFIG, BACKEND, EVENT)));
    }

    private static void addServer(final Map<String, ArchRule> walls)
    {
        walls.put("the server knows neither GPU nor command line", noClasses()
            .that().resideInAPackage(SERVER).should().dependOnClassesThat(ours(CUDA, CPU, CLI)));
        walls.put("the transport knows nothing of what it carries", noClasses()
            .that().resideInAPackage(TRANSPORT).should().dependOnClassesThat(oursExcept(TRANSPORT)));
        walls.put("only the transport's own classes know Jetty", noClasses()
            .that().haveNameNotMatching("io\\.signalbox\\.server\\.http\\.Jetty.*")
            .should().dependOnClassesThat().resideInAPackage("org.eclipse.jetty.."));
        walls.put("only the publisher of KV events knows ZeroMQ", noClasses()
            .that().haveNameNotMatching("io\\.signalbox\\.server\\.kvevents\\.ZeroMqPublisher(\\$.*)?")
            .should().dependOnClassesThat().resideInAPackage("org.zeromq.."));
    }

    private static void addCommandLine(final Map<String, ArchRule> walls)
    {
        walls.put("the console knows neither options nor commands", noClasses()
            .that().resideInAPackage(CONSOLE).should().dependOnClassesThat().resideInAnyPackage(OPTIONS, COMMANDS));
        walls.put("options know no command", noClasses()
            .that().resideInAPackage(OPTIONS).should().dependOnClassesThat().resideInAPackage(COMMANDS));
        walls.put("the rooms of the command line do not know its entry", noClasses()
            .that().resideInAnyPackage(CONSOLE, OPTIONS, COMMANDS)
            .should().dependOnClassesThat().resideInAPackage(ROOT + "..cli"));
    }

    private static void addLibraries(final Map<String, ArchRule> walls)
    {
        walls.put("Chronicle stays in the journal", noClasses()
            .that().resideOutsideOfPackage(JOURNAL).should().dependOnClassesThat().resideInAPackage("net.openhft.."));
        walls.put("the journal touches Chronicle in its store only", noClasses()
            .that().haveSimpleNameNotContaining("Chronicle").and().doNotHaveSimpleName("SpaceReserve")
            .should().dependOnClassesThat().resideInAPackage("net.openhft.."));
        walls.put("the journal reads without mapping files", noClasses()
            .that().resideInAPackage(JOURNAL).should().dependOnClassesThat().areAssignableTo(MappedByteBuffer.class));
        walls.put("Disruptor stays in the engine", noClasses()
            .that().resideOutsideOfPackage(ENGINE).should().dependOnClassesThat().resideInAPackage("com.lmax.."));
        walls.put("only the binding knows JCuda", noClasses()
            .that().haveNameNotMatching("io\\.signalbox\\.cuda\\.driver\\.JCuda(Binding|Handles)(\\$.*)?")
            .should().dependOnClassesThat().resideInAPackage("jcuda.."));
        walls.put("Micrometer stays in the metrics", noClasses()
            .that().resideOutsideOfPackage(METRICS).should().dependOnClassesThat().resideInAPackage("io.micrometer.."));
        walls.put("only the histograms know Prometheus", noClasses()
            .that().haveNameNotMatching("io\\.signalbox\\.metrics\\.Prometheus(Histograms|Page)(\\$.*)?")
            .should().dependOnClassesThat().resideInAnyPackage("io.prometheus..", "io.micrometer.prometheusmetrics.."));
        walls.put("test frameworks stay in the test kit", noClasses()
            .that().resideOutsideOfPackage(TESTKIT)
            .should().dependOnClassesThat().resideInAnyPackage("org.junit..", "org.opentest4j..", "net.jqwik.."));
        walls.put("picocli stays in the command line", noClasses()
            .that().resideOutsideOfPackage(CLI).should().dependOnClassesThat().resideInAPackage("picocli.."));
        walls.put("only the command line prints", noClasses()
            .that().resideOutsideOfPackage(CLI).should(GeneralCodingRules.ACCESS_STANDARD_STREAMS));
        walls.put("only the entry point ends the process", noClasses()
            .that().doNotHaveFullyQualifiedName("io.signalbox.cli.Main")
            .should().callMethod(System.class, "exit", int.class)
            .orShould().callMethod(Runtime.class, "halt", int.class));
        walls.put("no logging framework in the code", noClasses()
            .that().resideInAPackage("io.signalbox..")
            .should().dependOnClassesThat().resideInAnyPackage("org.slf4j..", "java.util.logging.."));
    }

    /** Assigns each class to its room; a sample counts as a class of the room that its package names. */
    private static final class Rooms implements SliceAssignment
    {
        private static final Pattern ROOM = Pattern.compile("io\\.signalbox\\.(?:house\\.sample\\.)?([a-z]+)(?:\\..*)?");

        @Override
        public SliceIdentifier getIdentifierOf(final JavaClass type)
        {
            final Matcher matcher = ROOM.matcher(type.getPackageName());
            return matcher.matches() ? SliceIdentifier.of(matcher.group(1)) : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription()
        {
            return "rooms";
        }
    }

    /** A question for the id of a message; {@code EventReader} has a method for each message instead. */
    private static DescribedPredicate<JavaAccess<?>> templateId()
    {
        return DescribedPredicate.describe("ask a message for its template id",
            access -> TEMPLATE_IDS.contains(access.getTarget().getName()));
    }

    private static DescribedPredicate<JavaAccess<?>> encoder()
    {
        return DescribedPredicate.describe("make an encoder", access ->
            access.getTargetOwner().getPackageName().equals("io.signalbox.event.codec") &&
                access.getTargetOwner().getSimpleName().endsWith("Encoder"));
    }

    /** Classes of rooms above the engine, except the given ones. */
    private static DescribedPredicate<JavaClass> above(final String... rooms)
    {
        return resideInAPackage(ROOT + ".*..").and(not(resideInAnyPackage(ENGINE_AND_BELOW)))
            .and(not(resideInAnyPackage(rooms)));
    }

    /** Classes of the given rooms, except the model shape, which every room may use. */
    private static DescribedPredicate<JavaClass> ours(final String... rooms)
    {
        return resideInAnyPackage(rooms).and(not(belongToAnyOf(ModelShape.class)));
    }

    private static DescribedPredicate<JavaClass> oursExcept(final String... rooms)
    {
        return resideInAPackage(ROOT + "..").and(not(resideInAnyPackage(rooms)))
            .and(not(belongToAnyOf(ModelShape.class, ConfigException.class, InvariantViolation.class, PluginFault.class,
                DoubleText.class)));
    }
}
