import AnnalsLog

/// Appends of one thread that are committed together.
struct PreparedGroup: Sendable {
  let appends: [PreparedAppend]

  init(_ appends: [PreparedAppend]) { self.appends = appends }
}

extension EventWriter {
  /// Writes the appends of a group, and stops after the first refused append.
  ///
  /// - Returns: The results of the written appends, followed by the result of the refused append, if any.
  func write(_ group: PreparedGroup, isCareful: Bool) throws -> [Result<Receipt, any Error>] {
    var answers: [Result<Receipt, any Error>] = []
    answers.reserveCapacity(group.appends.count)
    recent.expect(group.appends.reduce(0) { $0 + $1.events.count })
    let identities: Identities = isCareful ? .all : group.appends.count > 1 ? .none : .given
    for append in group.appends {
      do {
        answers.append(.success(try write(append, identities)))
      } catch let error as EventStoreError where error.leftNothing {
        answers.append(.failure(error))
        return answers
      }
    }
    return answers
  }
}

extension EventStoreError {
  /// True if the append was refused before any of its data was written.
  var leftNothing: Bool {
    switch code {
    case .versionConflict, .conditionConflict, .duplicateEvent, .commandReused, .closed: true
    default: false
    }
  }
}
