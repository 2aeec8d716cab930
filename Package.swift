// swift-tools-version: 6.2
import PackageDescription

// The App Store requires a privacy manifest with the reasons for some system calls, such as `stat`. Only Xcode reads
// it. On Linux, a resource would put a bundle's folder next to every program.
#if os(macOS)
  let privacyManifest: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
  let withoutPrivacyManifest: [String] = []
#else
  let privacyManifest: [Resource] = []
  let withoutPrivacyManifest = ["PrivacyInfo.xcprivacy"]
#endif

let package = Package(
  name: "Annals",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Annals", targets: ["Annals"]),
    .library(name: "AnnalsLog", targets: ["AnnalsLog"]),
    .library(name: "AnnalsRemote", targets: ["AnnalsRemote"]),
    // The product contains both modules, so that an app depends on one product.
    .library(name: "AnnalsSQLite", targets: ["Annals", "AnnalsSQLite"]),
    .library(name: "AnnalsPostgres", targets: ["AnnalsPostgres"]),
    .library(name: "AnnalsTesting", targets: ["AnnalsTesting"]),
    .library(name: "AnnalsSwiftTesting", targets: ["AnnalsSwiftTesting"]),
    .library(name: "AnnalsStoreTesting", targets: ["AnnalsStoreTesting"]),
    .library(name: "AnnalsReplay", targets: ["AnnalsReplay"]),
    // The tool, which is installed as `annals`. Xcode's build system gives each product a folder with the product's
    // name. If a disk doesn't distinguish case, the product `annals` would overwrite files in the folder of `Annals`.
    .executable(name: "annals-tool", targets: ["AnnalsTool"]),
  ],
  traits: [
    // The event store in PostgreSQL requires the system's libpq. Without the trait, its modules are empty and libpq
    // isn't needed.
    .trait(name: "Postgres", description: "The event log in PostgreSQL, by the system's libpq.")
  ],
  targets: [
    // The log: events, their coding, the protocols of stores, and the store in memory.
    .target(name: "AnnalsLog"),
    // Sorted rows in sections, and the changes between two lists. They need no store.
    // On Linux, sort keys for a language use Foundation's ICU. On other systems, strings are compared.
    .target(
      name: "AnnalsLists", dependencies: ["AnnalsLog"],
      linkerSettings: [.linkedLibrary("_FoundationICU", .when(platforms: [.linux]))]),
    // The domain model, which turns events into lists and delivers their changes. It imports no database.
    .target(name: "Annals", dependencies: ["AnnalsLists", "AnnalsLog"]),
    // Logs on a server: their protocols, commands on them, followers with several workers, and replicas.
    .target(name: "AnnalsRemote", dependencies: ["Annals", "AnnalsLog"]),
    // The system's SQLite. On Linux, its headers are in a system package, and Apple's SDKs include them. The name isn't
    // CSQLite, because other packages have a target with that name, and an app can't contain two targets with one name.
    .systemLibrary(name: "CAnnalsSQLite", providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"])]),
    // The event store in one SQLite file.
    .target(
      name: "AnnalsSQLite", dependencies: ["AnnalsLog", "CAnnalsSQLite"], exclude: withoutPrivacyManifest,
      resources: privacyManifest),
    // The system's libpq, and the event store in PostgreSQL, for packages that enable the trait.
    .systemLibrary(
      name: "CAnnalsPQ", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .yum(["libpq-devel"]), .brew(["libpq"])]),
    .target(
      name: "AnnalsPostgres",
      dependencies: [
        "Annals", "AnnalsLog", "AnnalsRemote", .target(name: "CAnnalsPQ", condition: .when(traits: ["Postgres"])),
      ]),
    // The replay tool as a library, and its executable.
    .target(
      name: "AnnalsReplay",
      dependencies: [
        "Annals", "AnnalsLog", "AnnalsMirror", "AnnalsRemote", "AnnalsSQLite", "AnnalsSamples", "CAnnalsPage",
      ],
      exclude: withoutPrivacyManifest, resources: privacyManifest),
    // The browser page of `annals timeline`, compiled in with C23's `#embed`.
    .target(
      name: "CAnnalsPage",
      exclude: [
        "list.js", "model.js", "page.css", "page.html", "pane.js", "run.js", "search.js", "strip.js", "values.js",
      ]),
    .executableTarget(
      name: "AnnalsTool",
      dependencies: ["AnnalsReplay", .target(name: "AnnalsPostgres", condition: .when(traits: ["Postgres"]))]),
    // Five small domains with screens, written like an app.
    .target(name: "AnnalsSamples", dependencies: ["Annals", "AnnalsMirror"]),
    // The rules of a table view, and values as Swift code. They are separate because the tool and the samples need them
    // without the test harness, which reexports them.
    .target(name: "AnnalsMirror", dependencies: ["Annals", "AnnalsLog"]),
    // Tools for testing a domain and a service, without importing Testing or XCTest.
    .target(name: "AnnalsTesting", dependencies: ["Annals", "AnnalsLog", "AnnalsMirror", "AnnalsRemote"]),
    // A trait for tests with Swift Testing. It is separate, so that AnnalsTesting works without Swift Testing.
    .target(name: "AnnalsSwiftTesting", dependencies: ["AnnalsTesting"]),
    // The contracts of stores, for packages with a store.
    .target(
      name: "AnnalsStoreTesting", dependencies: ["Annals", "AnnalsLog", "AnnalsRemote", "AnnalsTesting"]),
    // The benchmarks: `swift run -c release benchmarks`. They aren't a product, so that an app can have a target with
    // this name.
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "Annals", "AnnalsReplay", "AnnalsSQLite", "AnnalsSamples", "AnnalsTesting", "CAnnalsSQLite", "Disks",
        "ShrinkingProblems", "TeamApp", "TeamPlain",
      ],
      path: "Tests/Benchmarks"),
    // Disks for tests and benchmarks, one of them slow and one that loses power.
    .target(name: "Disks", dependencies: ["AnnalsTesting", "CAnnalsSQLite"], path: "Tests/Support/Disks"),
    // Properties that don't hold, with their smallest failing cases, for tests and benchmarks.
    .target(name: "ShrinkingProblems", dependencies: ["AnnalsTesting"], path: "Tests/Support/ShrinkingProblems"),
    .testTarget(name: "BenchmarksTests", dependencies: ["benchmarks"]),
    .testTarget(
      name: "AnnalsTests",
      dependencies: [
        "Annals", "AnnalsLists", "AnnalsLog", "AnnalsRemote", "AnnalsSQLite", "AnnalsStoreTesting", "AnnalsTesting",
      ]),
    .testTarget(
      name: "AnnalsReplayTests",
      dependencies: ["Annals", "AnnalsReplay", "AnnalsSQLite", "AnnalsSamples", "AnnalsTesting", "AnnalsTool"]),
    .testTarget(
      name: "AnnalsTestingTests",
      dependencies: [
        "Annals", "AnnalsSamples", "AnnalsSQLite", "AnnalsStoreTesting", "AnnalsSwiftTesting", "AnnalsTesting",
        "ShrinkingProblems",
      ]),
    .testTarget(
      name: "AnnalsSamplesTests", dependencies: ["Annals", "AnnalsSamples", "AnnalsTesting"], exclude: ["Fixtures"]),
    // The process that tests start and kill, to test several processes and crashes.
    .executableTarget(
      name: "StoreChild",
      dependencies: ["Annals", "AnnalsRemote", "AnnalsSQLite", "AnnalsStoreTesting", "AnnalsTesting"],
      path: "Tests/Support/StoreChild"),
    .testTarget(
      name: "AnnalsSQLiteTests",
      dependencies: [
        "Annals", "AnnalsSQLite", "AnnalsStoreTesting", "AnnalsTesting", "CAnnalsSQLite", "Disks", "StoreChild",
      ],
      exclude: ["Fixtures", "Guides/Fixtures"]),
    // The guides' programs, written like an app. The code on the pages is compiled, run and compared.
    .testTarget(
      name: "GuidesTests", dependencies: ["Annals", "AnnalsRemote", "AnnalsReplay", "AnnalsSQLite", "AnnalsTesting"],
      packageAccess: false),
    // These tests need a server, which `.ci/postgres-tests` starts.
    .testTarget(
      name: "AnnalsPostgresTests",
      dependencies: [
        "Annals", "AnnalsPostgres", "AnnalsSQLite", "AnnalsStoreTesting", "AnnalsTesting", "AnnalsTool", "Networks",
        "PostgresChild",
      ]),
    // A network between a store and its server, for tests and figures.
    .target(name: "Networks", dependencies: ["AnnalsTesting"], path: "Tests/Support/Networks"),
    // The process that they start several times and kill.
    .executableTarget(
      name: "PostgresChild", dependencies: ["Annals", "AnnalsPostgres", "AnnalsSQLite"],
      path: "Tests/Support/PostgresChild"),
    // The benchmarks of the log in PostgreSQL and of replicas: `.ci/postgres-figures`.
    .executableTarget(
      name: "postgresFigures",
      dependencies: [
        "Annals", "AnnalsPostgres", "AnnalsSQLite", "AnnalsTesting", "Networks",
        .target(name: "CAnnalsPQ", condition: .when(traits: ["Postgres"])),
      ],
      path: "Tests/PostgresFigures"),
    // An app of several modules that uses only the public API, as a team would write it. It contains people, boards
    // with cards and comments, ten lists, followers, an import and a second process.
    .target(
      name: "TeamPeople", dependencies: ["Annals"], path: "Tests/Support/TeamApp/People", packageAccess: false),
    .target(
      name: "TeamBoards", dependencies: ["Annals", "TeamPeople"], path: "Tests/Support/TeamApp/Boards",
      packageAccess: false),
    .target(
      name: "TeamApp", dependencies: ["Annals", "AnnalsSQLite", "TeamBoards", "TeamPeople"],
      path: "Tests/Support/TeamApp/App", packageAccess: false),
    // The app's lists computed with plain code from all events, and random commands.
    .target(
      name: "TeamPlain", dependencies: ["Annals", "TeamApp", "TeamBoards", "TeamPeople"],
      path: "Tests/Support/TeamApp/Plain", packageAccess: false),
    .executableTarget(
      name: "TeamAppChild",
      dependencies: ["Annals", "AnnalsSQLite", "TeamApp", "TeamBoards", "TeamPeople", "TeamPlain"],
      path: "Tests/Support/TeamApp/Child", packageAccess: false),
    .testTarget(
      name: "TeamAppTests",
      dependencies: [
        "Annals", "AnnalsSQLite", "AnnalsTesting", "TeamApp", "TeamAppChild", "TeamBoards", "TeamPeople", "TeamPlain",
      ],
      path: "Tests/Support/TeamApp/TeamAppTests", packageAccess: false),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c2x
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    // `any` must be written where a value is boxed, so that the cost is visible.
    .enableUpcomingFeature("ExistentialAny"),
    // Imports are internal by default, so that dependencies don't leak into the public API.
    .enableUpcomingFeature("InternalImportsByDefault"),
    // Members are visible only in files that import the declaring module.
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}

// Checks that run only some tests don't build the others: `.ci/thread-sanitizer`, `.ci/postgres-tests`.
if let some = Context.environment["ANNALS_TEST_TARGETS"]?.split(separator: ",") {
  package.targets.removeAll { target in target.type == .test && !some.contains { $0 == target.name } }
}
