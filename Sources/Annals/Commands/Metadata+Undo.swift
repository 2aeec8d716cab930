// Metadata of events that belong to an undo history. They contain no personal data, because metadata remain when a
// subject is erased.

extension Metadata {
  /// A reference to the step of an undo history that another step undoes or redoes.
  struct UndoTarget: Hashable, Sendable {
    let step: String
    /// True if the other step is a redo, so that the referenced step is an undo.
    let isRedo: Bool
  }

  /// The identifier of the undo history's step that the event belongs to, or nil.
  var undoStep: String? {
    get { self["undostep"] }
    set { self["undostep"] = newValue }
  }

  var undoTitle: String? {
    get { self["undotitle"] }
    set { self["undotitle"] = newValue }
  }

  /// The key of the group to which the step belongs, or nil.
  var undoGroup: String? {
    get { self["undogroup"] }
    set { self["undogroup"] = newValue }
  }

  /// The number of the command in its step.
  ///
  /// The commands of one reversal have the same number, so that a redo reverses their events together.
  var undoPart: Int? {
    get { self["undopart"].flatMap { Int($0) } }
    set { self["undopart"] = newValue.map { "\($0)" } }
  }

  var undoDecider: String? {
    get { self["undodecider"] }
    set { self["undodecider"] = newValue }
  }

  /// The command's boundary as a string, or nil for a command on a stream.
  var undoBoundary: String? {
    get { self["undoboundary"] }
    set { self["undoboundary"] = newValue }
  }

  /// The target of an undo or a redo, or nil for an executed step.
  var undoTarget: UndoTarget? {
    get {
      if let step = self["undoes"] { return UndoTarget(step: step, isRedo: false) }
      return self["redoes"].map { UndoTarget(step: $0, isRedo: true) }
    }
    set {
      self["undoes"] = newValue.flatMap { $0.isRedo ? nil : $0.step }
      self["redoes"] = newValue.flatMap { $0.isRedo ? $0.step : nil }
    }
  }

  /// The tag by which the events of an author's steps are found, or nil for events outside of steps.
  var undoTag: EventTag? {
    guard self != [:], undoStep != nil, let author else { return nil }
    return Self.undoTag(of: author)
  }

  static func undoTag(of author: String) -> EventTag { "undo:\(author)" }
}

extension EventQuery {
  /// Creates a query from its ``canonicalText``, or nil from any other string.
  init?(canonicalText: String) {
    if canonicalText == EventQuery.all.canonicalText {
      self = .all
      return
    }
    guard case .array(let values)? = try? JSONValue(parsing: canonicalText) else { return nil }
    var alternatives: [Alternative] = []
    for value in values {
      guard case .object(let members) = value else { return nil }
      var alternative = Alternative()
      for member in members {
        guard case .array(let words) = member.value else { return nil }
        let texts = words.compactMap { if case .string(let text) = $0 { text } else { nil } }
        guard texts.count == words.count else { return nil }
        switch member.name {
        case "categories":
          if texts.contains("") { return nil }
          alternative.categories = Set(texts)
        case "streams": alternative.streams = Set(texts.map { StreamName($0) })
        case "tags": alternative.tags = Set(texts.map { EventTag($0) })
        case "types": alternative.types = Set(texts)
        default: return nil
        }
      }
      alternatives.append(alternative)
    }
    self.init(alternatives)
  }
}
