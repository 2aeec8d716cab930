// swift-tools-version: 6.2
import PackageDescription

// A library of things as an HTTP service. Build it with `swift build --package-path Docs/Examples/Service`, and copy it
// for a service of your own.
//
// With LENDING_WITHOUT_HUMMINGBIRD=1, the package has no other dependency than Annals. It then contains the domain and
// the handling of requests with their tests, but not the program.
let hasFramework = Context.environment["LENDING_WITHOUT_HUMMINGBIRD"] == nil

let annals: Target.Dependency = .product(name: "Annals", package: "Annals")
let sqlite: Target.Dependency = .product(name: "AnnalsSQLite", package: "Annals")
let postgres: Target.Dependency = .product(
  name: "AnnalsPostgres", package: "Annals", condition: .when(traits: ["Postgres"]))

let package = Package(
  name: "Lending",
  platforms: [.macOS(.v15)],
  traits: [.trait(name: "Postgres", description: "The log in PostgreSQL. It needs libpq.")],
  dependencies: [
    // In your service: .package(url: "https://git.example.com/annals", from: "0.1.0", traits: …).
    .package(
      name: "Annals", path: "../../..",
      traits: [.defaults, .trait(name: "Postgres", condition: .when(traits: ["Postgres"]))])
  ],
  targets: [
    // The things that are lent, and the list of them. It knows of no request and no database.
    .target(name: "LendingDomain", dependencies: [annals]),
    // From a request to its response, as values. It knows of no HTTP framework.
    .target(
      name: "LendingService",
      dependencies: ["LendingDomain", annals, .product(name: "AnnalsRemote", package: "Annals"), sqlite, postgres]),
    .testTarget(
      name: "LendingServiceTests",
      dependencies: [
        "LendingDomain", "LendingService", annals, .product(name: "AnnalsRemote", package: "Annals"), sqlite, postgres,
        .product(name: "AnnalsTesting", package: "Annals"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

if hasFramework {
  package.dependencies += [
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ]
  package.targets += [
    // The values above as requests and responses of Hummingbird, and the process's start and end.
    .executableTarget(
      name: "lendingd",
      dependencies: [
        "LendingService", annals, sqlite, postgres,
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(name: "lendingdTests", dependencies: ["lendingd"]),
  ]
}
