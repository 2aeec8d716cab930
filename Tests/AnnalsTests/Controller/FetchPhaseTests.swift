import Annals
import Testing

@Suite struct FetchPhaseTests {
  private static let bools = [false, true]

  static let phases: [FetchPhase] =
    bools.map { .idle(isShowingPlaceholder: $0) } + bools.map { .fetching(isShowingPlaceholder: $0) }
    + bools.flatMap { isShowingPlaceholder in
      bools.map { .arriving(isShowingPlaceholder: isShowingPlaceholder, isStopped: $0) }
    }
    + bools.map { .showing(isStopped: $0) }

  static let events: [FetchPhase.Event] =
    [.begun, .stoodIn, .requestChanged, .shown, .retried] + bools.map { .fetched(isStopped: $0) }
    + bools.map { .failed(isFinal: $0) }

  /// A phase as five answers, which an event changes by one rule each.
  private struct Flags: Equatable {
    var hasBegun = false
    var hasFetched = false
    var isArriving = false
    var isShowingPlaceholder = false
    var isStopped = false

    init(_ phase: FetchPhase) {
      (hasBegun, hasFetched, isArriving) = (phase.hasBegun, phase.hasFetched, phase.isArriving)
      (isShowingPlaceholder, isStopped) = (phase.isShowingPlaceholder, phase.isStopped)
    }

    mutating func take(_ event: FetchPhase.Event) {
      switch event {
      case .begun: hasBegun = true
      case .stoodIn: if hasBegun, !hasFetched { isShowingPlaceholder = true }
      case .requestChanged: if !hasFetched { hasBegun = false }
      case .fetched(let stopped):
        if hasFetched { return }
        (hasBegun, hasFetched, isArriving, isStopped) = (true, true, true, stopped)
      case .shown: if hasFetched { (isArriving, isShowingPlaceholder) = (false, false) }
      case .failed(let isFinal): if hasFetched { isStopped = isFinal }
      case .retried: isStopped = false
      }
    }
  }

  @Test func `In each phase each event changes what its rule says, and nothing else`() {
    #expect(Set(Self.phases).count == 10 && Set(Self.events).count == 9)
    for phase in Self.phases {
      for event in Self.events {
        var flags = Flags(phase)
        flags.take(event)
        #expect(Flags(phase.after(event)) == flags, "\(event) in \(phase)")
      }
    }
  }

  @Test func `Each phase is reached from the first one, and no others are`() {
    var reached: Set<FetchPhase> = [.idle(isShowingPlaceholder: false)]
    var waiting = Array(reached)
    while let phase = waiting.popLast() {
      for next in Self.events.map(phase.after) where reached.insert(next).inserted { waiting.append(next) }
    }
    #expect(reached == Set(Self.phases))
  }

  @Test func `The delegate is notified of a first list only if another one stood in for it`() {
    for phase in Self.phases { #expect(phase.isSilent == (phase.isArriving && !phase.isShowingPlaceholder)) }
    #expect(FetchPhase.arriving(isShowingPlaceholder: false, isStopped: true).isSilent)
    #expect(!FetchPhase.arriving(isShowingPlaceholder: true, isStopped: false).isSilent)
  }

  @Test func `Once the list is shown, no event takes it away`() {
    for isStopped in Self.bools {
      for event in Self.events {
        if case .showing = FetchPhase.showing(isStopped: isStopped).after(event) { continue }
        Issue.record("\(event)")
      }
    }
  }

  @Test func `A suspension stops the delivery of all lists but the first`() {
    for phase in Self.phases {
      #expect(phase.delivers(isSuspended: false) == phase.hasFetched)
      #expect(phase.delivers(isSuspended: true) == phase.isArriving)
    }
  }
}
