/// The lists, in addition to the shown list, from which a controller builds its next list.
///
/// A basis is a value. A controller changes its basis only by calling ``after(_:)``, which is a pure function.
///
/// `List` and `Job` are classes, because a delivery that copies payloads of unknown size took 6 % longer.
package enum ListBasis<List: AnyObject, Job: AnyObject> {
  /// Only the shown list exists.
  case shown
  /// A saved list was opened, and no list was built from it yet.
  case saved(List)
  /// A job builds the next list on another thread.
  ///
  /// `saved` is the saved list from which no list was built yet, or `nil`.
  case job(Job, saved: List?)

  /// An event that changes a controller's basis.
  package enum Event {
    /// A saved list was opened.
    case opened(List)
    /// A job began to build the next list.
    case lent(Job)
    /// The job's list is no longer needed.
    case jobDropped
    /// The saved list is no longer needed.
    case savedDropped
    /// The next list was built.
    case built
  }

  /// The saved list from which no list was built yet, or `nil`.
  package var saved: List? {
    switch self {
    case .shown: nil
    case .saved(let list): list
    case .job(_, let saved): saved
    }
  }

  /// The job that builds the next list, or `nil`.
  package var job: Job? { if case .job(let job, _) = self { job } else { nil } }

  /// True if only the shown list exists.
  package var isShown: Bool { if case .shown = self { true } else { false } }

  /// Returns the basis after an event.
  ///
  /// - Parameter event: The event.
  /// - Returns: The next basis.
  package func after(_ event: Event) -> ListBasis {
    switch event {
    case .opened(let list): ListBasis(saved: list, job)
    case .lent(let job): .job(job, saved: saved)
    case .jobDropped: ListBasis(saved: saved, nil)
    case .savedDropped: ListBasis(saved: nil, job)
    case .built: .shown
    }
  }

  private init(saved: List?, _ job: Job?) {
    self = job.map { .job($0, saved: saved) } ?? saved.map { .saved($0) } ?? .shown
  }
}
