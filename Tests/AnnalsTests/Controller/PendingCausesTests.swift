import Annals
import AnnalsLog
import Testing

@Suite struct PendingCausesTests {
  private static let sets: [ChangeCause] = [[], .events, .rebase, [.events, .rebase]]

  @Test func `Causes wait for a delivery, and later causes wait for the next delivery`() {
    for early in Self.sets {
      for late in Self.sets {
        var causes = PendingCauses()
        causes.insert(early)
        let prepared = causes.next
        causes.insert(late)
        #expect(causes.next == early.union(late))
        causes.take(prepared)
        #expect(causes.next == late.subtracting(early) && causes.unreported.isEmpty)
      }
    }
  }

  @Test func `Only a rebase without a notification is reported with the next batch`() {
    for first in Self.sets {
      for second in Self.sets {
        var causes = PendingCauses()
        causes.keepQuiet(first)
        causes.keepQuiet(second)
        #expect(causes.unreported == first.union(second).intersection(.rebase) && causes.next.isEmpty)
        causes.report()
        #expect(causes == PendingCauses())
      }
    }
  }

  @Test func `The causes of a rewritten log are the parts in which its revisions differ`() {
    let bools = [false, true]
    for erased in bools {
      for compacted in bools {
        for rebased in bools {
          let later = LogRevision(
            erasures: erased ? 1 : 0, compacted: compacted ? CompactedHistory(count: 1, horizon: 3) : .none,
            rebases: rebased ? 1 : 0)
          var expected: ChangeCause = []
          if erased { expected.insert(.erasure) }
          if compacted { expected.insert(.compaction) }
          if rebased { expected.insert(.rebase) }
          #expect(ChangeCause(from: .original, to: later) == expected)
          #expect(ChangeCause(from: later, to: .original) == expected)
        }
      }
    }
  }
}
