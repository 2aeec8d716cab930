import Annals

extension ReplayCatalog {
  /// True if the tool lists records.
  var hasRecords: Bool { lists.contains { $0 is RecordSource } }

  /// True if a subcommand is of use with what the tool knows.
  ///
  /// The others can be run, and say why they do nothing.
  func lists(subcommand name: String) -> Bool {
    switch name {
    case "insert", "update", "delete", "rename-section", "git": hasRecords
    case "demo": hasRecords || lists.contains { $0.isSample }
    case "compact": hasRecords || compaction != nil
    case "execute": hasRecords || !deciders.isEmpty
    default: true
    }
  }
}

extension [SubcommandGroup] {
  /// The subcommands that are of use with what a tool knows.
  func listed(in catalog: ReplayCatalog) -> [SubcommandGroup] {
    map { group in
      var group = group
      group.subcommands = group.subcommands.filter { catalog.lists(subcommand: $0.name) }
      return group
    }.filter { !$0.subcommands.isEmpty }
  }
}
