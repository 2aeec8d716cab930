@testable import Annals
@testable import AnnalsLog
import Testing

/// A job on a thread of its own may end between two questions.
@Suite struct LentOnceTests {
  @MainActor
  @Test func `a list whose job ends while the group looks at it is asked once`() {
    let group = DeliveryGroup.of(MemoryEventStore(), owner: MainActor.shared)
    let member = Ending()
    group.join(member, use: nil)
    group.deliverExternalChanges()
    #expect(member.asked == 1)
  }
}

/// A list whose rows are lent the first time it is asked, and not any more the second time.
private final class Ending: DeliveryMember {
  var pass: DeliveryPass?
  var asked = 0

  var lentTo: (any AnyRowsJob)? {
    asked += 1
    return asked == 1 ? EndedJob() : nil
  }

  var missing: Position? { nil }
  var revision: LogRevision? { nil }
  var isFailing: Bool { false }
  var mayLend: Bool { false }

  func prepare(_ tail: Result<LogTail, any Error>) {}
  func deliver() {}
  func lendRows() -> any AnyRowsJob { EndedJob() }
  func takeBackRows() {}
  func notice(_ revision: LogRevision) {}
  func unloadRows() {}
}

private final class EndedJob: AnyRowsJob {
  var isDone: Bool { true }

  func run(through end: Position, progress: (Position) -> Void) {}
  func done(isolation: isolated (any Actor)?) async {}
}
