import Annals
import AnnalsLog
import Foundation

/// A formatter that writes a machine's run as lines of CloudEvents for `annals import`.
enum RunLog {
  /// Returns the events of a store.
  static func lines(of store: any EventStore) -> [String] {
    var labels = TransactionLabels()
    var lines: [String] = []
    do {
      try store.forEachEvent { lines.append(CloudEvent.line($0, transaction: labels.label(of: $0))) }
    } catch {
      // The system under test might be a store that fails. The log then contains the events before the failure.
      return lines
    }
    return lines
  }

  /// Returns steps as records of a collection `steps`, for machines without a store.
  static func lines(of steps: [(call: String, outcome: String)]) -> [String] {
    steps.enumerated().map { index, step in
      let number = index + 1
      let data =
        "{\"collection\":\"steps\",\"id\":\"\(number)\",\"fields\":{\"step\":\(number),"
        + "\"call\":\(JSONValue.quoted(step.call)),\"outcome\":\(JSONValue.quoted(step.outcome))}}"
      let stored = StoredEvent(
        position: Position(number), transaction: number, stream: "steps", version: number,
        id: EventID(source: "annals-testing", id: "step-\(number)"), type: "RecordInserted", schema: 1,
        time: Date(timeIntervalSince1970: 1_700_000_000 + Double(number)), tags: [], payload: data, metadata: [:])
      return CloudEvent.line(stored, transaction: "step-\(number)")
    }
  }
}
