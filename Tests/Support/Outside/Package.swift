// swift-tools-version: 6.2
import PackageDescription

// A package of someone else: event stores of its own, written with what Annals offers to everyone. It is no part of
// the package around it. Build and test it with `.ci/outside`.
let package = Package(
  name: "Outside",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [.library(name: "OwnStores", targets: ["OwnStores"])],
  dependencies: [
    // By name: the folder that holds the package may be called anything.
    .package(name: "Annals", path: "../../..")
  ],
  targets: [
    .target(
      name: "OwnStores",
      dependencies: [
        .product(name: "AnnalsLog", package: "Annals"), .product(name: "AnnalsRemote", package: "Annals"),
      ]),
    .testTarget(
      name: "OwnStoresTests",
      dependencies: [
        "OwnStores", .product(name: "Annals", package: "Annals"), .product(name: "AnnalsLog", package: "Annals"),
        .product(name: "AnnalsRemote", package: "Annals"), .product(name: "AnnalsReplay", package: "Annals"),
        .product(name: "AnnalsSQLite", package: "Annals"),
        .product(name: "AnnalsStoreTesting", package: "Annals"), .product(name: "AnnalsTesting", package: "Annals"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
