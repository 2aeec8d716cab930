// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Annals",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Annals", targets: ["Annals"]),
    .library(name: "AnnalsSQLite", targets: ["AnnalsSQLite"]),
    .library(name: "AnnalsPostgres", targets: ["AnnalsPostgres"]),
    .library(name: "AnnalsTesting", targets: ["AnnalsTesting"]),
    .library(name: "AnnalsReplay", targets: ["AnnalsReplay"]),
    .executable(name: "annals", targets: ["AnnalsTool"]),
  ],
  traits: [
    // The event store in PostgreSQL needs the system's libpq. Without the trait its modules are empty, and nothing of
    // libpq is looked for.
    .trait(name: "Postgres", description: "The event log in PostgreSQL, by the system's libpq.")
  ],
  targets: [
    // The domain model: events in, sectioned rows and their changes out. Imports no database.
    // Sort keys of a language come from the ICU that Foundation brings on Linux; elsewhere texts are compared.
    .target(
      name: "Annals", linkerSettings: [.linkedLibrary("_FoundationICU", .when(platforms: [.linux]))]),
    // The system's SQLite. On Linux its headers come from a system package; Apple's SDKs bring them. It is not called
    // CSQLite, because other packages have a target of that name, and an app cannot use two targets of one name.
    .systemLibrary(
      name: "CAnnalsSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"]), .brew(["sqlite"])]),
    // The event store in one SQLite file.
    .target(name: "AnnalsSQLite", dependencies: ["Annals", "CAnnalsSQLite"]),
    // The system's libpq, and the event store in PostgreSQL, for those who ask for the trait.
    .systemLibrary(
      name: "CAnnalsPQ", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .yum(["libpq-devel"]), .brew(["libpq"])]),
    .target(
      name: "AnnalsPostgres",
      dependencies: ["Annals", .target(name: "CAnnalsPQ", condition: .when(traits: ["Postgres"]))]),
    // The replay tool as a library, and the executable around it.
    .target(name: "AnnalsReplay", dependencies: ["Annals", "AnnalsMirror", "AnnalsSQLite", "AnnalsSamples"]),
    .executableTarget(
      name: "AnnalsTool",
      dependencies: ["AnnalsReplay", .target(name: "AnnalsPostgres", condition: .when(traits: ["Postgres"]))]),
    // Five small domains as an app's author would write them, each with a screen.
    .target(name: "AnnalsSamples", dependencies: ["Annals", "AnnalsMirror"]),
    // A table view's rules, and values as Swift code. The tool and the samples need them without the harness,
    // which exports them.
    .target(name: "AnnalsMirror", dependencies: ["Annals"]),
    // What tests of a domain need. Imports neither Testing nor XCTest.
    .target(name: "AnnalsTesting", dependencies: ["Annals", "AnnalsMirror"]),
    // The figures: `swift run -c release benchmarks`. They are not a product, so that an app can have a target called
    // benchmarks.
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "Annals", "AnnalsReplay", "AnnalsSQLite", "AnnalsSamples", "AnnalsTesting", "CAnnalsSQLite", "Disks",
        "ShrinkingProblems", "TeamApp", "TeamPlain",
      ],
      path: "Tests/Benchmarks"),
    // Disks for tests and figures: a slow one, and one that loses power.
    .target(name: "Disks", dependencies: ["AnnalsTesting", "CAnnalsSQLite"], path: "Tests/Disks"),
    // Properties that do not hold, with their smallest failing cases: for tests and figures.
    .target(name: "ShrinkingProblems", dependencies: ["AnnalsTesting"], path: "Tests/ShrinkingProblems"),
    .testTarget(name: "BenchmarksTests", dependencies: ["benchmarks"]),
    .testTarget(name: "AnnalsTests", dependencies: ["Annals", "AnnalsSQLite", "AnnalsTesting"]),
    .testTarget(
      name: "AnnalsReplayTests",
      dependencies: ["Annals", "AnnalsReplay", "AnnalsSQLite", "AnnalsSamples", "AnnalsTesting", "AnnalsTool"]),
    .testTarget(
      name: "AnnalsTestingTests",
      dependencies: ["Annals", "AnnalsSamples", "AnnalsSQLite", "AnnalsTesting", "ShrinkingProblems"]),
    .testTarget(
      name: "AnnalsSamplesTests", dependencies: ["Annals", "AnnalsSamples", "AnnalsTesting"], exclude: ["Fixtures"]),
    // The process that tests of several processes and of sudden ends start, and kill.
    .executableTarget(
      name: "StoreChild", dependencies: ["Annals", "AnnalsSQLite", "AnnalsTesting"], path: "Tests/StoreChild"),
    .testTarget(
      name: "AnnalsSQLiteTests",
      dependencies: ["Annals", "AnnalsSQLite", "AnnalsTesting", "CAnnalsSQLite", "Disks", "StoreChild"],
      exclude: ["Fixtures", "Guides/Fixtures"]),
    // The guides' programs, written as an app's author would: what the pages show is compiled, run and compared.
    .testTarget(
      name: "GuidesTests", dependencies: ["Annals", "AnnalsReplay", "AnnalsSQLite", "AnnalsTesting"],
      packageAccess: false),
    // They run beside a server: .ci/postgres-tests.
    .testTarget(
      name: "AnnalsPostgresTests",
      dependencies: ["Annals", "AnnalsPostgres", "AnnalsSQLite", "AnnalsTesting", "AnnalsTool", "PostgresChild"]),
    // The process that they start several times, and kill.
    .executableTarget(
      name: "PostgresChild", dependencies: ["Annals", "AnnalsPostgres", "AnnalsSQLite"], path: "Tests/PostgresChild"),
    // The figures of the log in PostgreSQL and of replicas: .ci/postgres-figures.
    .executableTarget(
      name: "postgresFigures", dependencies: ["Annals", "AnnalsPostgres", "AnnalsSQLite"],
      path: "Tests/PostgresFigures"),
    // An app of several modules, as a team would write it: by public names alone. People, boards with cards and
    // comments, ten lists, followers, an import, a second process.
    .target(
      name: "TeamPeople", dependencies: ["Annals"], path: "Tests/TeamApp/People", packageAccess: false),
    .target(
      name: "TeamBoards", dependencies: ["Annals", "TeamPeople"], path: "Tests/TeamApp/Boards", packageAccess: false),
    .target(
      name: "TeamApp", dependencies: ["Annals", "AnnalsSQLite", "TeamBoards", "TeamPeople"],
      path: "Tests/TeamApp/App", packageAccess: false),
    // The app's lists again, by plain code over all events, and commands by chance.
    .target(
      name: "TeamPlain", dependencies: ["Annals", "TeamApp", "TeamBoards", "TeamPeople"],
      path: "Tests/TeamApp/Plain", packageAccess: false),
    .executableTarget(
      name: "TeamAppChild",
      dependencies: ["Annals", "AnnalsSQLite", "TeamApp", "TeamBoards", "TeamPeople", "TeamPlain"],
      path: "Tests/TeamApp/Child", packageAccess: false),
    .testTarget(
      name: "TeamAppTests",
      dependencies: [
        "Annals", "AnnalsSQLite", "AnnalsTesting", "TeamApp", "TeamAppChild", "TeamBoards", "TeamPeople", "TeamPlain",
      ],
      path: "Tests/TeamApp/TeamAppTests", packageAccess: false),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    // `any` is written where a value is boxed, so that the cost shows.
    .enableUpcomingFeature("ExistentialAny"),
    // An import is internal unless it says otherwise: what we import does not leak into what we offer.
    .enableUpcomingFeature("InternalImportsByDefault"),
    // A member is visible only where the module that declares it is imported.
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}

// Checks that run some of the tests do not build the others: `.ci/thread-sanitizer`, `.ci/postgres-tests`.
if let some = Context.environment["ANNALS_TEST_TARGETS"]?.split(separator: ",") {
  package.targets.removeAll { target in target.type == .test && !some.contains { $0 == target.name } }
}
