// swift-tools-version: 6.2
import PackageDescription

// A to-do list for the terminal, and the same list as source for SwiftUI and UIKit. Build it with
// `swift build --package-path Docs/Examples/Todo`, and copy it for an app of your own.
let package = Package(
  name: "TodoApp",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .executable(name: "todo", targets: ["todo"]),
    .library(name: "TodoApple", targets: ["TodoApple"]),
  ],
  dependencies: [
    // In an app of yours: .package(url: "…", from: "…").
    .package(name: "Annals", path: "../../..")
  ],
  targets: [
    // What happens to a to-do list, and what is seen of it. It knows of no file and no screen.
    .target(name: "TodoDomain", dependencies: [.product(name: "Annals", package: "Annals")]),
    // The screen as a value: keys in, lines out. It knows of no terminal.
    .target(name: "TodoTerminal", dependencies: ["TodoDomain", .product(name: "Annals", package: "Annals")]),
    // The terminal and the file.
    .executableTarget(
      name: "todo",
      dependencies: [
        "TodoDomain", "TodoTerminal", .product(name: "Annals", package: "Annals"),
        .product(name: "AnnalsSQLite", package: "Annals"),
      ]),
    // The list in SwiftUI and in UIKit. Where those are not, small interfaces of the same shape stand in.
    .target(name: "TodoApple", dependencies: ["TodoDomain", .product(name: "Annals", package: "Annals")]),
    .testTarget(
      name: "TodoTests",
      dependencies: [
        "TodoApple", "TodoDomain", "TodoTerminal", "todo", .product(name: "Annals", package: "Annals"),
        .product(name: "AnnalsSQLite", package: "Annals"), .product(name: "AnnalsTesting", package: "Annals"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
