import Annals
import AnnalsSQLite

extension Subcommand {
  static let git = Subcommand(
    name: "git", operands: ["LOG", "REPOSITORY"],
    summary: "Take a git repository's history into a log, which is created if it is not there.",
    details: [
      "A row for each file, with path, directory (\".\" at the root) and name, and how many",
      "commits touched it and when the last one did; a transaction for each commit of the",
      "first-parent history, with its author and subject (message) as metadata. A file",
      "that is renamed and is otherwise the same keeps its id. Run again, it adds the new",
      "commits; a log that an older version began goes on without the counts.",
    ],
    examples: ["annals git files.annals .", "annals show files.annals --section-by directory --sort name"],
    run: { try $0.runGit() })
}

extension Session {
  fileprivate func runGit() throws -> ReplayError.Status {
    let repository = try GitRepository(arguments.operands[1])
    let log = try LogFile(arguments.operands[0])
    var importer = try GitImporter(into: log)
    let progress = Progress(console)
    defer { progress.end() }
    try importer.take(repository) { importer in
      progress.step(importer.commits, "commits")
    }
    progress.end()
    let store = try log.create()
    if isJSON {
      try printJSON("{\"commits\":\(importer.commits),\"events\":\(importer.events),\"position\":\(try store.head())}")
    } else {
      say(
        "\(Text.counted(importer.commits, "commit")) imported as \(Text.counted(importer.events, "event")); "
          + "the log's last position is \(try store.head())")
    }
    return .done
  }
}
