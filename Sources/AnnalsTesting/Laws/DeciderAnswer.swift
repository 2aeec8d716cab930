import Annals
import AnnalsLog

/// A decider's result in a comparable form, with events in their stored form and refusals as text.
enum DeciderAnswer: Equatable, CustomStringConvertible {
  case events([NewEvent])
  /// The refusal's description, and the name of its case.
  case refusal(String, name: String)

  init<D: Decider>(_ decider: D.Type, _ command: D.Command, after history: [D.Event]) throws {
    var state = D()
    for event in history { state.evolve(event) }
    Coverage.note(state: state, of: Coverage.Subject(D.self))
    let decided: [D.Event]
    do {
      decided = try state.decide(command)
    } catch {
      self = .refusal(describedWhole(error), name: EnumCases.name(of: error))
      return
    }
    let coder = try EventCoder<D.Event>()
    self = .events(try decided.map { try coder.encode($0) })
  }

  /// Records the result for a law's coverage.
  func note<D: Decider>(_ decider: D.Type, _ command: D.Command) {
    switch self {
    case .events(let events):
      Coverage.note(D.self, command, events: events.count, refusal: nil)
      // The resulting events count for coverage too, so they are decoded from their stored form.
      guard CaseContext.current != nil, var coder = try? EventCoder<D.Event>() else { return }
      Coverage.note(
        events.compactMap { try? coder.decode(type: $0.type, payload: $0.payload) }, isContext: true)
    case .refusal(_, let name): Coverage.note(D.self, command, events: 0, refusal: name)
    }
  }

  var description: String {
    switch self {
    case .refusal(let text, _): "the refusal \(text)"
    case .events(let events):
      "["
        + events.map { event in
          // Sorted, because a set has no order.
          let tags = event.tags.map(\.text).sorted().joined(separator: ", ")
          return "\(event.type) \(event.payload ?? "without payload")" + (tags.isEmpty ? "" : " [\(tags)]")
        }.joined(separator: ", ") + "]"
    }
  }
}
