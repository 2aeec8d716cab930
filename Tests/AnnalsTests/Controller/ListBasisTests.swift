import Annals
import Testing

@Suite struct ListBasisTests {
  private typealias Basis = ListBasis<String, Int>

  /// A basis as its two parts, which an event changes by one rule each.
  private struct Parts: Hashable {
    var saved: String?
    var job: Int?

    init(_ basis: Basis) { (saved, job) = (basis.saved, basis.job) }

    mutating func take(_ event: Basis.Event) {
      switch event {
      case .opened(let list): saved = list
      case .lent(let new): job = new
      case .jobDropped: job = nil
      case .savedDropped: saved = nil
      case .built: (saved, job) = (nil, nil)
      }
    }
  }

  private static var events: [Basis.Event] {
    [
      .opened("a"), .opened("b"), .lent(1), .lent(2), .jobDropped, .savedDropped, .built,
    ]
  }

  @Test func `Every event changes one part of every basis`() {
    var reached: [Parts: Basis] = [Parts(.shown): .shown]
    var waiting = [Basis.shown]
    while let basis = waiting.popLast() {
      for event in Self.events {
        let next = basis.after(event)
        var parts = Parts(basis)
        parts.take(event)
        #expect(Parts(next) == parts, "\(event) in \(basis)")
        #expect(next.isShown == (parts.saved == nil && parts.job == nil), "\(event) in \(basis)")
        if reached.updateValue(next, forKey: parts) == nil { waiting.append(next) }
      }
    }
    #expect(reached.count == 9)
  }

  @Test func `Dropping a job leaves the saved list that no list was built from`() {
    let basis = Basis.shown.after(.opened("a")).after(.lent(1)).after(.lent(2))
    #expect(basis.saved == "a" && basis.job == 2)
    #expect(basis.after(.jobDropped).saved == "a" && basis.after(.jobDropped).job == nil)
    #expect(basis.after(.built).after(.jobDropped).isShown)
  }
}
