import Annals

extension ReplayCatalog {
  /// True if the tool lists records.
  var hasRecords: Bool { lists.contains { $0 is RecordSource } }

  /// The app's deciders and, in a tool that lists records, the commands of records.
  var commands: [any CommandSource] { deciders + (hasRecords ? RecordCommand.allCases : []) as [any CommandSource] }

  /// True if the tool's parts support a subcommand.
  ///
  /// The other subcommands print why they do nothing.
  func lists(subcommand name: String) -> Bool {
    switch name {
    case "demo": hasRecords || lists.contains { $0.isSample }
    case "compact": hasRecords || compaction != nil
    case "do": !commands.isEmpty
    default: true
    }
  }
}

extension [SubcommandGroup] {
  /// The subcommands that a tool's parts support.
  func listed(in catalog: ReplayCatalog) -> [SubcommandGroup] {
    map { group in
      var group = group
      group.subcommands = group.subcommands.filter { catalog.lists(subcommand: $0.name) }
      return group
    }.filter { !$0.subcommands.isEmpty }
  }
}
