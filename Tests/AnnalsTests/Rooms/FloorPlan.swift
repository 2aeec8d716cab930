/// The rooms of a target: its folders, from the first, which uses no other, to the last, which may use all.
struct FloorPlan: Sendable {
  struct Room: Sendable {
    let name: String
    /// What is in the room, in a few words.
    let purpose: String
  }

  let target: String
  let rooms: [Room]
  /// Known uses of a later room that should go away, each as both files with an arrow between them.
  let exceptions: Set<String>

  init(_ target: String, _ rooms: KeyValuePairs<String, String>, exceptions: Set<String> = []) {
    self.target = target
    self.rooms = rooms.map { Room(name: $0.key, purpose: $0.value) }
    self.exceptions = exceptions
  }

  /// The room of a file: the first folder of its path in the target, or for a file in no folder the target's own name.
  ///
  /// - Parameter path: The path from the package's folder.
  /// - Returns: The room's name, nil for a file of another target.
  func room(of path: String) -> String? {
    let folder = "Sources/\(target)/"
    guard path.hasPrefix(folder) else { return nil }
    let parts = path.dropFirst(folder.count).split(separator: "/")
    return parts.count > 1 ? String(parts[0]) : target
  }

  /// The place of a room, nil if the plan does not have it.
  func floor(of room: String) -> Int? { rooms.firstIndex { $0.name == room } }
}

extension FloorPlan {
  /// The plans of all targets that have rooms.
  static let all = [annals, sqlite, mirror, testing, replay, samples]

  private static let annals = FloorPlan(
    "Annals",
    [
      "JSON": "texts, numbers and values, and the coder of payloads",
      "Keys": "values as bytes that are ordered as the values are",
      "SortedTree": "the trees that copies share, in memory and on pages",
      "Events": "an event as it is stored, streams, tags, queries, and events as lines",
      "EventCoding": "a type's events from and to what is stored, through all schemas",
      "Store": "what a store can do, its signal, and those who follow it",
      "Following": "workers that follow a log far away, with leases and a quarantine",
      "Commands": "deciders, their states, and what is appended in one transaction",
      "Undo": "what an actor did, takes back and repeats",
      "Branches": "commands on top of a log, which are decided again when they are merged into it",
      "Replica": "a log on this side that follows one far away",
      "Rows": "a projection's rows, their keys and relations",
      "Searching": "what is typed into a search, and the rows that may have it",
      "Lists": "a request, and the rows as sections and sorted rows",
      "Changes": "the difference of two lists, in the terms of several views",
      "Projecting": "projections, and rows at each position of a log",
      "SavedLists": "lists that are read again instead of folded",
      "Controller": "the list of a screen, and who is notified of what",
      "Compaction": "a log with fewer events, proven to say the same",
      "MemoryStore": "the store in memory",
    ])

  private static let sqlite = FloorPlan(
    "AnnalsSQLite",
    [
      "Connection": "files, their pages' checksums, connections, and the names that a connection remembers",
      "Format": "the tables of a log, and their checksums",
      "Reading": "events, queries, and what verifies a log",
      "Writing": "what appends, and the queue before it",
      "Rewriting": "erasure and compaction",
      "AnnalsSQLite": "the store",
      "Administration": "what a log keeps beside its events, where things are in it, and what can be saved of it",
    ])

  private static let mirror = FloorPlan(
    "AnnalsMirror",
    ["SourceText": "values as Swift code", "Table": "a table view's rules, and a table that keeps them"])

  private static let testing = FloorPlan(
    "AnnalsTesting",
    [
      "Choices": "random choices, and plans of them",
      "Generators": "values from choices",
      "Shrinking": "smaller plans that still fail",
      "Checking": "a property before many values, and what it reports",
      "Machines": "commands before a system and its model",
      "Laws": "what holds of every event, decider and projection, and scenarios",
      "Contracts": "what holds of every store",
      "Purity": "functions that are asked again in another process",
      "AnnalsTesting": "what is exported with it",
    ])

  private static let replay = FloorPlan(
    "AnnalsReplay",
    [
      "Console": "texts, tables and progress for a terminal, errors, and the platform",
      "Records": "events whose types the tool does not know, as records, and conditions on them",
      "Lists": "what a tool knows of an app, and its lists at each position",
      "Log": "the file of a log, and how it is begun",
      "Interchange": "lines that are imported and exported",
      "Git": "a repository's history",
      "Demo": "the samples' stories as text",
      "Session": "arguments, places, filters, and one run of a subcommand",
      "Schema": "the form of what is printed as JSON",
      "WhatIf": "lists without some events, of other logs and of other code",
      "Scrub": "the full screen",
      "Timeline": "a page for a browser",
      "Subcommands": "one file for each",
      "AnnalsReplay": "the tool",
    ])

  private static let samples = FloorPlan(
    "AnnalsSamples",
    [
      "Table": "the table of a screen",
      "Scenario": "what a demo shows",
      "Bookshop": "books by price",
      "Course": "lessons by chapter",
      "Library": "books by name",
      "Staff": "employees by section",
      "Team": "players by age",
      "AnnalsSamples": "the samples by their names",
    ])
}
