public import Annals

/// The commands of a decider, for a tool that executes them.
///
///     shoptool execute shop.annals Bookshop main '{"reprice":{"id":"b1","to":9}}'
///
/// The command is the JSON of its Codable form. Swift has no list of an enum's cases, so give an example of each:
/// `execute --help` then prints them, and so does the error of a misspelt one.
public struct ReplayCommands<D: Decider>: ReplayPart where D.Command: Codable {
  private let source: any DeciderSource

  /// Creates the commands of a decider of streams.
  ///
  /// - Parameters:
  ///   - decider: Who decides; it is named by its type.
  ///   - command: The command that an event comes from, for `--without`: the tool then names the first later event
  ///     whose command the decider would have refused. Answer nil for an event that says too little, and for all but
  ///     the first event of a command. By default nothing is known of the commands of the past.
  ///   - examples: Commands that help shows, one of each case. One that cannot be written as JSON is a programmer's
  ///     error.
  public init(_ decider: D.Type, command: (@Sendable (D.Event) -> D.Command?)? = nil, examples: [D.Command] = []) {
    source = StreamDeciderSource<D>(command: command, examples: examples.map(Self.text))
  }

  /// Creates the commands of a decider of boundaries, which has no streams to choose from.
  ///
  /// - Parameters:
  ///   - decider: Who decides; it is named by its type.
  ///   - examples: Commands that help shows, one of each case. One that cannot be written as JSON is a programmer's
  ///     error.
  public init(_ decider: D.Type, examples: [D.Command] = []) where D: BoundaryDecider {
    source = BoundaryDeciderSource<D>(examples: examples.map(Self.text))
  }

  private static func text(_ command: D.Command) -> String {
    do {
      return try PayloadCoder().encode(command)
    } catch {
      preconditionFailure("an example of a command of \(D.self) cannot be written as JSON: \(error)")
    }
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
