import Annals
import AnnalsLog

/// How the tool reads commands, and says why one was not executed.
enum CommandJSON {
  /// The command that a text says.
  static func read<C: Decodable>(_ type: C.Type, _ json: String, of decider: some DeciderSource) throws -> C {
    do {
      try JSON.check(json)
      return try PayloadCoder().decode(type, from: json)
    } catch {
      if let sentence = unknownCase(of: type, json) {
        let known = decider.examples.isEmpty ? "" : "\nits commands are \(decider.examples.joined(separator: ", "))"
        throw ReplayError.usage("\(decider.name) has no command \(sentence)\(known)")
      }
      let (path, reason) = explain(error)
      let place = path.isEmpty ? "" : " at \(path)"
      throw ReplayError.usage("expected the JSON of a command of \(decider.name), found \(json)\(place): \(reason)")
    }
  }

  /// What a text calls a command if no command is called that, with the nearest name; nil if something else is wrong.
  private static func unknownCase(of type: (some Decodable).Type, _ json: String) -> String? {
    guard let members = try? JSON.members(ofObject: json), members.count == 1, let name = members.first?.name,
      let keys = CaseProbe.keyType(of: type), keys.init(stringValue: name) == nil
    else { return nil }
    // A type says whether it has a case of a name, and not which names there are.
    let near = Nearest.spellings(of: name).first { keys.init(stringValue: $0) != nil }
    return JSONValue.quoted(name) + (near.map { "; did you mean \($0)?" } ?? "")
  }

  /// Runs what a decider decides; its rejection is a negative answer.
  static func deciding<T>(_ decider: String, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as EventCodingError {
      throw ReplayError(.unreadable, error.message)
    } catch  where !(error is EventStoreError) && !(error is ReplayError) {
      throw ReplayError(.negative, "\(decider) refuses it: \(error)")
    }
  }

  /// Ends a transaction without a commit.
  private struct Enough: Error {}

  /// The stored form of what commands decide, without appending it.
  static func dryRun<E: Event>(
    _ store: any EventStore, _ body: (inout CommandTransaction) throws -> [E]
  ) throws -> [NewEvent] {
    var decided: [E] = []
    do {
      try store.transaction { transaction in
        decided = try body(&transaction)
        throw Enough()
      }
    } catch is Enough {}
    let coder = try EventCoder<E>()
    return try decided.map { try coder.encode($0) }
  }

  private static func explain(_ error: any Error) -> (path: String, reason: String) {
    func text(_ context: DecodingError.Context) -> (String, String) {
      (context.codingPath.map(\.stringValue).joined(separator: "."), context.debugDescription)
    }
    return switch error as? DecodingError {
    case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?, .dataCorrupted(let context)?: text(context)
    case .keyNotFound(let key, let context)?:
      (text(context).0, "expected the member \(key.stringValue), found none")
    default: ("", "\(error)")
    }
  }
}
