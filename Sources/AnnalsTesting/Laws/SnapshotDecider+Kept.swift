public import Annals
import AnnalsLog
import Foundation

// A file keeps states of deciders, one per line, as long as a log could contain such states.

extension SnapshotDecider {
  /// Verifies that `evolve` still produces the states that were saved in a file, and adds missing states to the file.
  ///
  /// A store uses a saved state until `stateVersion`, the events' schema, the upcasters, or the state's properties
  /// change. A correction of `evolve` changes none of these, so you must also increase
  /// ``Annals/SnapshotDecider/stateVersion``. This check fails if you forget to increase it. The check skips a line of
  /// the file if a store would no longer use the line's state.
  ///
  ///     try Account.ensureKept([[.opened, .paidIn(5), .paidOut(2)]], in: "Fixtures/Account.jsonl")
  ///
  /// If the file doesn't contain the state that results from a sample's events, this function appends a line with the
  /// events and the state. Then it throws, so that you don't forget to review and commit the line.
  ///
  /// - Parameters:
  ///   - samples: The histories of streams or boundaries, with the events in order. Together, they must contain at
  ///     least one event of every case.
  ///   - file: The file, as an absolute path or relative to the calling file, for example `"Fixtures/Account.jsonl"`.
  ///   - filePath: The path of the calling file.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if a state differs or can't be saved, or if a line was added. Another error if the file can't
  ///   be read or written.
  public static func ensureKept(
    _ samples: [[Event]], in file: String, filePath: String = #filePath, fileID: String = #fileID, line: UInt = #line
  ) throws {
    let url = URL(fileURLWithPath: file, relativeTo: URL(fileURLWithPath: filePath).deletingLastPathComponent())
    func unmet(_ message: String) -> Unmet { Unmet(description: message, fileID: fileID, line: line) }
    let text = FileManager.default.fileExists(atPath: url.path) ? try String(contentsOf: url, encoding: .utf8) : ""
    var known: Set<String> = []
    for (index, text) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    where !text.allSatisfy(\.isWhitespace) {
      do {
        let kept = try KeptStateLine(String(text))
        // A store doesn't use a state that can't be read.
        guard (try? state(keptAs: kept.state, fingerprint: kept.fingerprint)) != nil else { continue }
        known.insert(kept.start)
        let now = try Self.kept(fold(kept.events))
        if ExactString(now.text) == ExactString(kept.state) { continue }
        throw KeptStateLine.Problem(
          description: "the saved state differs from the state that `evolve` computes: expected "
            + "\(StateText.difference(now.text, kept.state)). Raise `\(Self.self).stateVersion`, currently "
            + "\(stateVersion), or restore the old behavior of `evolve`")
      } catch {
        throw unmet("\(file), line \(index + 1): \(error)")
      }
    }
    let coder = try EventCoder<Event>()
    var new: [String] = []
    for sample in samples {
      let events = try sample.map { Append.Entry(stream: "history", event: try coder.encode($0)) }
      let state: (fingerprint: String, text: String)
      do { state = try Self.kept(fold(events)) } catch { throw unmet("a state can't be saved: \(error)") }
      let line = try KeptStateLine(fingerprint: state.fingerprint, events: events, state: state.text)
      if known.insert(line.start).inserted { new.append(line.text) }
    }
    guard !new.isEmpty else { return }
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    let start = text.isEmpty || text.hasSuffix("\n") ? text : text + "\n"
    try Data((start + new.joined(separator: "\n") + "\n").utf8).write(to: url, options: .atomic)
    let count = new.count == 1 ? "1 state was" : "\(new.count) states were"
    throw unmet(
      "\(count) added to \(file). Check the end of the file, commit the file, and rerun this test.")
  }

  /// Returns the state after replaying stored events.
  private static func fold(_ events: [Append.Entry]) throws -> Self {
    var (state, coder) = (Self(), try EventCoder<Event>())
    for event in events {
      for event in try coder.read(event, at: GoldenLine.time).events {
        state.evolve(event)
      }
    }
    return state
  }
}

/// A saved state as one line of a file, with the events that produced it.
private struct KeptStateLine {
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  let fingerprint: String
  let events: [Append.Entry]
  /// The state in its saved form.
  let state: String
  /// The line up to the state.
  let start: String

  var text: String { start + ",\"state\":\(state)}" }

  init(fingerprint: String, events: [Append.Entry], state: String) throws {
    self.fingerprint = fingerprint
    self.events = events
    self.state = state
    let texts = try events.map { try GoldenLine.text($0.event) }
    start = "{\"fingerprint\":\(JSONValue.quoted(fingerprint)),\"events\":[\(texts.joined(separator: ","))]"
  }

  init(_ text: String) throws {
    // The original text, because a parsed value would lose nulls.
    let members = try JSON.members(ofObject: text)
    func member(_ name: String) -> String? { members.first { ExactString.exactlyEqual($0.name, name) }?.json }
    guard let fingerprint = try member("fingerprint").flatMap({ try JSONValue(parsing: $0).string }),
      let events = try member("events").flatMap({ try JSONValue(parsing: $0).array }), let state = member("state")
    else {
      throw Problem(
        description: "expected an object with the members fingerprint, events and state, found \(text.prefix(60))")
    }
    try self.init(fingerprint: fingerprint, events: events.map { try GoldenLine.event($0.text) }, state: state)
  }
}
