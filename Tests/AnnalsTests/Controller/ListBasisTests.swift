import Annals
import Testing

@Suite struct ListBasisTests {
  private final class List {}
  private final class Job {}
  private typealias Basis = ListBasis<List, Job>

  private let lists = [List(), List()]
  private let jobs = [Job(), Job()]

  /// A basis as its two parts, which an event changes by one rule each.
  private struct Parts: Hashable {
    var saved: ObjectIdentifier?
    var job: ObjectIdentifier?

    init(_ basis: Basis) {
      (saved, job) = (basis.saved.map { ObjectIdentifier($0) }, basis.job.map { ObjectIdentifier($0) })
    }

    mutating func take(_ event: Basis.Event) {
      switch event {
      case .opened(let list): saved = ObjectIdentifier(list)
      case .lent(let new): job = ObjectIdentifier(new)
      case .jobDropped: job = nil
      case .savedDropped: saved = nil
      case .built: (saved, job) = (nil, nil)
      }
    }
  }

  private var events: [Basis.Event] {
    lists.map { .opened($0) } + jobs.map { .lent($0) } + [.jobDropped, .savedDropped, .built]
  }

  @Test func `Every event changes one part of every basis`() {
    var reached: [Parts: Basis] = [Parts(.shown): .shown]
    var waiting = [Basis.shown]
    while let basis = waiting.popLast() {
      for event in events {
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
    let basis = Basis.shown.after(.opened(lists[0])).after(.lent(jobs[0])).after(.lent(jobs[1]))
    #expect(basis.saved === lists[0] && basis.job === jobs[1])
    #expect(basis.after(.jobDropped).saved === lists[0] && basis.after(.jobDropped).job == nil)
    #expect(basis.after(.built).after(.jobDropped).isShown)
  }
}
