// swift-tools-version: 6.2
import PackageDescription

// A to-do list for the terminal, and the same list for SwiftUI and UIKit. Build it with
// `swift build --package-path Docs/Examples/Todo`, and copy it for an app of your own.
let package = Package(
  name: "TodoApp",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .executable(name: "todo", targets: ["todo"]),
    .library(name: "TodoApple", targets: ["TodoApple"]),
  ],
  dependencies: [
    // In your app: .package(url: "https://git.example.com/annals", from: "0.1.0").
    .package(name: "Annals", path: "../../..")
  ],
  targets: [
    // The events, commands and rows of a to-do list, independent of files and screens.
    .target(name: "TodoDomain", dependencies: [.product(name: "Annals", package: "Annals")]),
    // The screen as a value, which receives keys and returns lines. It is independent of the terminal.
    .target(name: "TodoTerminal", dependencies: ["TodoDomain", .product(name: "Annals", package: "Annals")]),
    // The terminal and the file.
    .executableTarget(
      name: "todo",
      dependencies: [
        "TodoDomain", "TodoTerminal", .product(name: "Annals", package: "Annals"),
        .product(name: "AnnalsSQLite", package: "Annals"),
      ]),
    // The screens for SwiftUI and UIKit. On other systems, they are compiled against small substitutes.
    .target(
      name: "TodoApple",
      dependencies: [
        "TodoDomain", .product(name: "Annals", package: "Annals"), .product(name: "AnnalsSQLite", package: "Annals"),
      ]),
    // The app with a window. In an Xcode project, this file is the app target's only file.
    .executableTarget(name: "TodoWindow", dependencies: ["TodoApple"]),
    .testTarget(
      name: "TodoTests",
      dependencies: [
        "TodoApple", "TodoDomain", "TodoTerminal", "TodoWindow", "todo", .product(name: "Annals", package: "Annals"),
        .product(name: "AnnalsSQLite", package: "Annals"), .product(name: "AnnalsTesting", package: "Annals"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
