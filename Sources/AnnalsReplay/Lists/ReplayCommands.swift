public import Annals

/// The commands of a decider, for a tool that executes them:
///
///     shoptool execute shop.annals Bookshop main '{"reprice":{"id":"b1","to":9}}'
///
/// The command is the JSON of its Codable form.
public struct ReplayCommands<D: Decider>: ReplayPart where D.Command: Codable {
  private let source: any DeciderSource

  /// Creates the commands of a decider of streams.
  ///
  /// - Parameters:
  ///   - decider: Who decides; it is named by its type.
  ///   - command: The command that an event comes from, for `--without`: the tool then names the first later event
  ///     whose command the decider would have refused. Answer nil for an event that says too little, and for all but
  ///     the first event of a command. By default nothing is known of the commands of the past.
  public init(_ decider: D.Type, command: (@Sendable (D.Event) -> D.Command?)? = nil) {
    source = StreamDeciderSource<D>(command: command)
  }

  /// Creates the commands of a decider of boundaries, which has no streams to choose from.
  ///
  /// - Parameter decider: Who decides; it is named by its type.
  public init(_ decider: D.Type) where D: BoundaryDecider {
    source = BoundaryDeciderSource<D>()
  }

  /// Adds the commands to what a tool knows.
  ///
  /// - Parameter catalog: What the tool knows; it must not have a decider of the name, which is a programmer's error.
  public func register(in catalog: inout ReplayCatalog) {
    precondition(
      !catalog.deciders.contains { $0.name == source.name }, "two deciders are called \"\(source.name)\"")
    catalog.deciders.append(source)
  }
}
