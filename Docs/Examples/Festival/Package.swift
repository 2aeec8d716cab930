// swift-tools-version: 6.2
import PackageDescription

// A planner for the stages, slots, volunteers and tickets of a festival. Build it with
// `swift build --package-path Docs/Examples/Festival`, and copy it for your app.
let package = Package(
  name: "FestivalPlanner",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [
    // In your app: .package(url: "https://git.example.com/annals", from: "0.1.0").
    .package(name: "Annals", path: "../../..")
  ],
  targets: [
    // The events, commands, rules and lists of a festival, independent of files and screens.
    .target(name: "FestivalDomain", dependencies: [.product(name: "Annals", package: "Annals")]),
    // The log, its users with undo, their windows, plans, imports and mails.
    .target(
      name: "FestivalApp",
      dependencies: [
        "FestivalDomain", .product(name: "Annals", package: "Annals"),
        .product(name: "AnnalsSQLite", package: "Annals"),
      ]),
    // The command line.
    .executableTarget(
      name: "festival",
      dependencies: ["FestivalApp", "FestivalDomain", .product(name: "Annals", package: "Annals")]),
    // The app's replay tool, which shows the lists at every position of a log.
    .executableTarget(
      name: "festivaltool", dependencies: ["FestivalDomain", .product(name: "AnnalsReplay", package: "Annals")]),
    .testTarget(
      name: "FestivalTests",
      dependencies: [
        "FestivalApp", "FestivalDomain", "festival", .product(name: "Annals", package: "Annals"),
        .product(name: "AnnalsSQLite", package: "Annals"), .product(name: "AnnalsTesting", package: "Annals"),
      ], exclude: ["Fixtures"]),
  ],
  swiftLanguageModes: [.v6]
)
