import Annals
import AnnalsLog
import AnnalsSamples
import AnnalsTesting

/// A bug in the staff's domain, or in the code below it.
enum PlantedBug: CaseIterable {
  case none
  /// The projection forgets that a section was renamed.
  case forgetsRename
  /// The decider accepts an id twice.
  case hiresTwice
  /// Changes reload a row at its old index path.
  case reloadsAtOldPath
  /// A move is not reported.
  case tellsNoMove
  /// The store appends although the stream has changed since the writer read it.
  case acceptsStale
}

/// The sample's decider.
///
/// With the bug, it hires an employee twice.
struct LaxStaff: Decider {
  static var category: String { "Staff" }

  struct Command {
    let command: StaffCommand
    let bug: PlantedBug
  }

  private var staff = Staff()

  func decide(_ command: Command) throws(Staff.Refusal) -> [StaffEvent] {
    do {
      return try staff.decide(command.command)
    } catch .alreadyThere {
      guard case .hire(let employee) = command.command else { return [] }
      guard command.bug == .hiresTwice else { throw .alreadyThere(employee.id) }
      return [.hired(employee)]
    }
  }

  mutating func evolve(_ event: StaffEvent) { staff.evolve(event) }
}

/// The sample's projection.
///
/// With the bug, it forgets renames.
struct ForgetfulEmployees: Projection {
  let bug: PlantedBug

  func project(_ event: StaffEvent, into rows: inout Rows<Employee>) {
    if bug == .forgetsRename, case .sectionRenamed = event { return }
    Employees().project(event, into: &rows)
  }
}

/// A store that forwards every call.
///
/// With the bug, it drops the expected versions.
final class CarelessStore: ForwardingEventStore {
  let wrapped: any EventStore
  private let bug: PlantedBug

  init(_ environment: StoreEnvironment = StoreEnvironment(), bug: PlantedBug) {
    wrapped = MemoryEventStore(environment: environment)
    self.bug = bug
  }

  func commit(_ append: Append) throws -> Receipt {
    var append = append
    if bug == .acceptsStale { append.expectations = [:] }
    return try wrapped.commit(append)
  }
}
