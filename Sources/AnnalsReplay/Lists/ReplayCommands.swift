public import Annals
import AnnalsLog

/// A ``ReplayTool`` component that executes a decider's commands.
///
///     shoptool do shop.annals Bookshop main '{"reprice":{"id":"b1","to":9}}'
///
/// You pass a command to the tool as the JSON of its Codable form. Swift can't list the cases of an enum with
/// associated values, so pass an example of each case to the initializer. `do --help` prints the examples, and so
/// does the error for a misspelled command.
public struct ReplayCommands<D: Decider>: ReplayPart where D.Command: Codable {
  private let source: any DeciderSource

  /// Creates the component for a decider whose commands are executed on a stream.
  ///
  /// - Parameters:
  ///   - decider: The decider's type. The tool refers to the decider by the name of this type.
  ///   - command: A closure that returns the command that produced an event, or `nil` if the event doesn't contain
  ///     enough data to reconstruct the command. If a command produced several events, return the command only for the
  ///     first event. The tool calls the closure if a user excludes events with `--without`. For the later events of
  ///     the same stream, the tool checks whether the decider still accepts their commands without the excluded events.
  ///     The tool reports the first event with a refused command. By default, there is no closure, so the tool can't
  ///     report such an event.
  ///   - examples: Commands that `do --help` prints, one per enum case. The program stops if a command can't be
  ///     encoded as JSON.
  public init(_ decider: D.Type, command: (@Sendable (D.Event) -> D.Command?)? = nil, examples: [D.Command] = []) {
    source = StreamDeciderSource<D>(command: command, examples: examples.map(Self.text))
  }

  /// Creates the component for a `BoundaryDecider`, whose commands are executed without a stream id.
  ///
  /// - Parameters:
  ///   - decider: The decider's type. The tool refers to the decider by the name of this type.
  ///   - examples: Commands that `do --help` prints, one per enum case. The program stops if a command can't be
  ///     encoded as JSON.
  public init(_ decider: D.Type, examples: [D.Command] = []) where D: BoundaryDecider {
    source = BoundaryDeciderSource<D>(examples: examples.map(Self.text))
  }

  private static func text(_ command: D.Command) -> String {
    do {
      return try PayloadCoder().encode(command)
    } catch {
      preconditionFailure("an example command of \(D.self) can't be encoded as JSON: \(error)")
    }
  }

  /// Adds the decider to a tool's catalog, so that the tool can execute the decider's commands.
  ///
  /// - Parameter catalog: The tool's catalog. The program stops if it contains another decider of the same name.
  public func register(in catalog: inout ReplayCatalog) {
    precondition(
      !catalog.deciders.contains { $0.name == source.name },
      "two deciders have the name \"\(source.name)\"; register only one of them")
    catalog.deciders.append(source)
  }
}
