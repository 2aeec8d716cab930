import Annals
import AnnalsRemote

extension Subcommand {
  static let migrate = Subcommand(
    name: "migrate", operands: ["URL"],
    summary: "Migrate a log on a server to this tool's format, or print the migration as SQL.",
    details: [
      "Programs that know only the log's previous format can't open the log afterwards, so",
      "update them first. The migration is one transaction, and appends wait while it runs. A log",
      "in a file needs no migration, because opening it for writing migrates it.",
      "", "An administrator runs the script of --sql with `psql -v ON_ERROR_STOP=1 -f FILE URL`. It",
      "fails without a change if the log has another format by then. The script of a log whose",
      "format is older than 3 contains personal values from the log.",
    ],
    options: [
      Option("--dry-run", "Print the steps without migrating the log."),
      Option("--sql", "Print an SQL script of the migration instead."),
    ],
    examples: [
      "annals migrate postgresql://books@db.example.com/books --dry-run",
      "annals migrate postgresql://books@db.example.com/books --sql > migration.sql",
      "annals migrate postgresql://books@db.example.com/books",
    ],
    output: .init(
      .object, "The migration, which has no steps if the log already has the format, or the script of --sql.",
      [migrationForm.schema, migrationScriptForm.schema]),
    run: { try $0.runMigrate() })
}

extension Session {
  /// Returns the maintenance of the log on a server that the URL names.
  ///
  /// - Parameter advice: A sentence about logs in files, for the error if the operand isn't a URL.
  /// - Returns: The maintenance.
  /// - Throws: A usage error if the tool can't maintain such a log.
  func maintenance(_ advice: String) throws -> any RemoteMaintenance {
    let name = arguments.operands[0]
    guard let scheme = RemoteLog.scheme(of: name), Platform.file(name) == nil else {
      throw ReplayError.usage(
        "expected a URL such as postgresql://user@host/database, found \(JSONValue.quoted(RemoteLog.shown(name))). "
          + advice)
    }
    // The error for an unknown scheme contains the known schemes.
    _ = try RemoteLog(name, tool: tool, catalog)
    guard let maintenance = catalog.maintenances[scheme] else {
      throw ReplayError.usage("\(tool) can open \(scheme):// URLs, but the store has no migrations and no checks")
    }
    return try maintenance(name)
  }

  fileprivate func runMigrate() throws -> ReplayError.Status {
    let maintenance = try maintenance(
      "A log in a file needs no migration: a program migrates the file when it opens it for writing")
    if arguments.has("--sql") {
      let script = try RemoteLog.waiting { try await maintenance.migrationScript() }
      if isData { try print(script, as: migrationScriptForm) } else if let script { try print(script: script) }
      if script == nil, !isData { say("the log already has this tool's format, so it has no script") }
      return .done
    }
    let isDry = arguments.has("--dry-run")
    let migration = try RemoteLog.waiting {
      try await isDry ? maintenance.migration() : maintenance.migrate()
    }
    if isData {
      try print((migration, isDry), as: migrationForm)
      return .done
    }
    for step in migration.steps { try print("format \(step.format)  \(step.summary)") }
    let formats = "from format \(migration.format) to format \(migration.newFormat)"
    say(
      migration.steps.isEmpty
        ? "the log already has format \(migration.format), so it wasn't changed"
        : isDry ? "the log would be migrated \(formats), but it wasn't changed" : "the log was migrated \(formats)")
    return .done
  }

  /// Prints a script without its last line break, which `printData` adds.
  private func print(script: String) throws {
    let lines = script.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    for line in lines { try printData(console.outputIsTerminal ? Text.safe(String(line)) : String(line)) }
  }
}

private let migrationForm = JSONForm<(migration: LogMigration, isDry: Bool)>([
  "format": .of({ $0.migration.format }, "The log's format before the migration."),
  "newFormat": .of { $0.migration.newFormat },
  "steps": .array(
    { $0.migration.steps }, JSONForm<LogMigration.Step>(["format": .of(\.format), "summary": .of(\.summary)])),
  "dryRun": .of { $0.isDry },
])

private let migrationScriptForm = JSONForm<String?>(["sql": .of({ $0 }, "Null if the log already has the format.")])
