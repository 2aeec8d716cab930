// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "PlantedBugs",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Annals", path: "../..")],
  targets: [
    .executableTarget(
      name: "plantedBugs",
      dependencies: [
        .product(name: "Annals", package: "Annals"), .product(name: "AnnalsTesting", package: "Annals"),
      ])
  ]
)
