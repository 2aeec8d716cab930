/// The layers of a target: its folders, from the first, which uses no other, to the last, which may use all.
struct LayerPlan: Sendable {
  struct Layer: Sendable {
    let name: String
    /// What is in the layer, in a few words.
    let purpose: String
  }

  let target: String
  let layers: [Layer]
  /// Known uses of a later layer that should go away, each as both files with an arrow between them.
  let exceptions: Set<String>

  init(_ target: String, _ layers: KeyValuePairs<String, String>, exceptions: Set<String> = []) {
    self.target = target
    self.layers = layers.map { Layer(name: $0.key, purpose: $0.value) }
    self.exceptions = exceptions
  }

  /// The layer of a file: the first folder of its path in the target, or for a file in no folder the target's own name.
  ///
  /// - Parameter path: The path from the package's folder.
  /// - Returns: The layer's name, nil for a file of another target.
  func layer(of path: String) -> String? {
    let folder = "Sources/\(target)/"
    guard path.hasPrefix(folder) else { return nil }
    let parts = path.dropFirst(folder.count).split(separator: "/")
    return parts.count > 1 ? String(parts[0]) : target
  }

  /// The place of a layer, nil if the plan does not have it.
  func index(of layer: String) -> Int? { layers.firstIndex { $0.name == layer } }
}

extension LayerPlan {
  /// The plans of all targets that have layers.
  static let all = [log, lists, annals, remote, sqlite, mirror, testing, storeTesting, replay, samples]

  private static let log = LayerPlan(
    "AnnalsLog",
    [
      "Basics": "names of types, hashes and binary search",
      "JSON": "strings, numbers and values of JSON, and the payload coder",
      "Events": "stored events, streams, tags, queries, and the line-based text format of events",
      "EventCoding": "encoding and decoding of event types, through all schemas",
      "Store": "the protocols of stores, the runtime, followers",
      "MemoryStore": "the store in memory",
    ])

  private static let lists = LayerPlan(
    "AnnalsLists",
    [
      "Keys": "values as bytes that sort like the values",
      "SortedTree": "trees with shared nodes, in memory and on pages",
      "Rows": "a projection's rows, their keys and relations",
      "Searching": "text search, and the candidate rows",
      "Lists": "list requests, and sorted rows in sections",
      "Changes": "the difference between two lists, for several kinds of view",
    ])

  private static let annals = LayerPlan(
    "Annals",
    [
      "Commands": "deciders, their states, and transactions",
      "Undo": "undo and redo of one user's commands",
      "Branches": "commands on top of a log, re-decided when they are merged",
      "Projecting": "projections, and rows at every position of a log",
      "SavedLists": "lists that are read from the store instead of rebuilt",
      "Controller": "the controller of a screen's list, and its notifications",
      "Compaction": "replacing events by fewer equivalent events, with a proof",
      "Annals": "the exported names",
    ])

  private static let remote = LayerPlan(
    "AnnalsRemote",
    [
      "Store": "the protocols of remote stores, and commands on them",
      "Following": "workers that follow a remote log, with leases and a quarantine",
      "Replica": "a local copy of a remote log",
      "Feed": "versions of a list for a service's clients, as pages and changes in JSON",
    ])

  private static let sqlite = LayerPlan(
    "AnnalsSQLite",
    [
      "Connection": "files, page checksums, connections, and cached names",
      "Format": "the tables of a log, and their checksums",
      "Reading": "events, queries, and verification",
      "Writing": "appends, and their queue",
      "Rewriting": "erasure and compaction",
      "AnnalsSQLite": "the store",
      "Administration": "checkpoints, states, drafts, lookups, and salvage",
    ])

  private static let mirror = LayerPlan(
    "AnnalsMirror",
    ["SourceText": "values as Swift code", "Table": "the rules of table views, and a table that enforces them"])

  private static let testing = LayerPlan(
    "AnnalsTesting",
    [
      "Choices": "random choices, and recorded choices",
      "Generators": "values from choices",
      "Shrinking": "smaller choices that still fail",
      "Checking": "checks of properties with many values, and their reports",
      "Machines": "commands on a system and its model",
      "Remote": "a server in memory, and connections to it that fail",
      "Laws": "laws of events, deciders and projections, and scenarios",
      "Purity": "checks that functions are pure, by repeating them in another process",
      "AllLaws": "one check of all laws of a decider and its lists",
      "AnnalsTesting": "exported modules",
    ])

  private static let storeTesting = LayerPlan("AnnalsStoreTesting", ["AnnalsStoreTesting": "the contracts of stores"])

  private static let replay = LayerPlan(
    "AnnalsReplay",
    [
      "Console": "terminal output, tables, progress, errors, and the platform",
      "Records": "events of unknown types as records, and conditions on records",
      "Index": "the order of a long log's records at every position, in the user's caches",
      "Schema": "the forms of JSON output, which write it and describe it",
      "Lists": "an app's registered lists, at every position",
      "Log": "the file of a log, and its creation",
      "Interchange": "import and export of lines",
      "Git": "a repository's history",
      "Demo": "the samples' scenarios as text",
      "Session": "arguments, positions, filters, and one run of a subcommand",
      "WhatIf": "lists without some events, from other logs and from other code",
      "Scrub": "the full screen",
      "Timeline": "a page for a browser",
      "Subcommands": "one file per subcommand",
      "AnnalsReplay": "the tool",
    ])

  private static let samples = LayerPlan(
    "AnnalsSamples",
    [
      "Table": "the table of a screen",
      "Scenario": "the steps of a demo",
      "Bookshop": "books by price",
      "Course": "lessons by chapter",
      "Staff": "employees by section",
      "Team": "players by age",
      "AnnalsSamples": "the samples by their names",
    ])
}
