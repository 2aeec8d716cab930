// swift-tools-version: 6.2
import PackageDescription

// An app's own replay tool: the domain of the README, and a few lines around it. Build it with
// `swift build --package-path Docs/Examples/ShopTool`, and copy it for your own app. To try it, import the sample log:
// `shoptool import shop.annals shop.jsonl`.
let package = Package(
  name: "ShopTool",
  platforms: [.macOS(.v15)],
  dependencies: [
    // In your app: .package(url: "https://git.example.com/annals", from: "0.1.0").
    .package(name: "Annals", path: "../../..")
  ],
  targets: [
    .target(name: "Shop", dependencies: [.product(name: "Annals", package: "Annals")]),
    .executableTarget(
      name: "shoptool",
      dependencies: [
        "Shop", .product(name: "Annals", package: "Annals"), .product(name: "AnnalsReplay", package: "Annals"),
      ],
      path: "Sources/ShopTool"),
    .testTarget(
      name: "ShopToolTests",
      dependencies: [
        "Shop", "shoptool", .product(name: "Annals", package: "Annals"),
        .product(name: "AnnalsReplay", package: "Annals"), .product(name: "AnnalsSQLite", package: "Annals"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
