public import Annals

/// A tool part that executes a decider's commands.
///
///     shoptool execute shop.annals Bookshop main '{"reprice":{"id":"b1","to":9}}'
///
/// You pass a command to the tool as the JSON of its Codable form. Swift can't list the cases of an enum with
/// associated values, so give an example of each case. `execute --help` prints the examples, and so does the error for
/// a misspelled command.
public struct ReplayCommands<D: Decider>: ReplayPart where D.Command: Codable {
  private let source: any DeciderSource

  /// Creates the part for a decider of streams.
  ///
  /// - Parameters:
  ///   - decider: The decider, which the tool calls by its type name.
  ///   - command: A closure that returns the command that produced an event. With `--without`, the tool uses it to name
  ///     the first later event whose command the decider would have refused. Return `nil` if the event doesn't contain
  ///     enough data, and for all events of a command except the first. By default, the tool knows no past commands.
  ///   - examples: Commands that help shows, one per case. The program stops if one can't be encoded.
  ///     error.
  public init(_ decider: D.Type, command: (@Sendable (D.Event) -> D.Command?)? = nil, examples: [D.Command] = []) {
    source = StreamDeciderSource<D>(command: command, examples: examples.map(Self.text))
  }

  /// Creates the part for a decider of boundaries, which has no streams to choose from.
  ///
  /// - Parameters:
  ///   - decider: The decider, which the tool calls by its type name.
  ///   - examples: Commands that help shows, one per case. The program stops if one can't be encoded.
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

  /// Adds the decider to a tool's catalog.
  ///
  /// - Parameter catalog: The tool's catalog. The program stops if it contains another decider of the same name.
  public func register(in catalog: inout ReplayCatalog) {
    precondition(
      !catalog.deciders.contains { $0.name == source.name }, "two deciders are called \"\(source.name)\"")
    catalog.deciders.append(source)
  }
}
