// swift-tools-version: 6.2
import PackageDescription

// A kanban board in two modules, with a replay tool of its own. Build it with
// `swift build --package-path Docs/Examples/Kanban`, and copy it for an app of your own.
let package = Package(
  name: "Kanban",
  platforms: [.macOS(.v15)],
  traits: [
    // The board with its log in PostgreSQL: `.ci/kanban-postgres`. It needs libpq.
    .trait(name: "Postgres", description: "The log in PostgreSQL, with replicas.")
  ],
  dependencies: [
    // In your app: .package(url: "https://git.example.com/annals", from: "0.1.0", traits: …).
    .package(
      name: "Annals", path: "../../..",
      traits: [.defaults, .trait(name: "Postgres", condition: .when(traits: ["Postgres"]))])
  ],
  targets: [
    // What happens to a board, and what is seen of it. It knows of no file and no screen.
    .target(name: "KanbanDomain", dependencies: [.product(name: "Annals", package: "Annals")]),
    // The board in columns, the words of the program, and plans that are tried on a branch.
    .target(name: "KanbanApp", dependencies: ["KanbanDomain", .product(name: "Annals", package: "Annals")]),
    // The file, and the process's output.
    .executableTarget(
      name: "kanban",
      dependencies: [
        "KanbanApp", .product(name: "Annals", package: "Annals"), .product(name: "AnnalsSQLite", package: "Annals"),
      ]),
    // The board for several machines: servers take commands, replicas show the board. Empty without the trait.
    .executableTarget(
      name: "kanbanserver",
      dependencies: [
        "KanbanApp", "KanbanDomain", .product(name: "Annals", package: "Annals"),
        .product(name: "AnnalsPostgres", package: "Annals", condition: .when(traits: ["Postgres"])),
        .product(name: "AnnalsSQLite", package: "Annals"),
      ]),
    // The replay tool of the app: shows the board at each position, and why it is so.
    .executableTarget(
      name: "kanbantool",
      dependencies: [
        "KanbanDomain", .product(name: "Annals", package: "Annals"), .product(name: "AnnalsReplay", package: "Annals"),
      ]),
    .testTarget(
      name: "KanbanTests",
      dependencies: [
        "KanbanApp", "KanbanDomain", .product(name: "Annals", package: "Annals"),
        .product(name: "AnnalsReplay", package: "Annals"), .product(name: "AnnalsSQLite", package: "Annals"),
        .product(name: "AnnalsTesting", package: "Annals"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
