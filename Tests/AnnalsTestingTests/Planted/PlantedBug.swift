import Annals
import AnnalsSamples
import AnnalsTesting

/// A bug that somebody may have put into the staff's domain, or into what it stands on.
enum PlantedBug: CaseIterable {
  case none
  /// The projection forgets that a section was renamed.
  case forgetsRename
  /// The decider lets an id in twice.
  case hiresTwice
  /// Changes reload a row where it was.
  case reloadsAtOldPath
  /// A move is reported as nothing.
  case tellsNoMove
  /// The store appends although the stream is no longer what the writer read.
  case acceptsStale
}

/// The sample's decider, which hires whoever comes if it is told to.
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

/// The sample's projection, which forgets renames if it is told to.
struct ForgetfulEmployees: Projection {
  let bug: PlantedBug

  func project(_ event: StaffEvent, into rows: inout Rows<Employee>) {
    if bug == .forgetsRename, case .sectionRenamed = event { return }
    Employees().project(event, into: &rows)
  }
}

/// A store that passes on what it is asked, without the expected versions if it is told to.
final class CarelessStore: EventStore {
  private let store: MemoryEventStore
  private let bug: PlantedBug

  init(_ environment: StoreEnvironment = StoreEnvironment(), bug: PlantedBug) {
    store = MemoryEventStore(environment: environment)
    self.bug = bug
  }

  var source: String { store.source }
  var environment: StoreEnvironment { store.environment }
  var signal: CommitSignal { store.signal }

  func commit(_ append: Append) throws -> Receipt {
    var append = append
    if bug == .acceptsStale { append.expectations = [:] }
    return try store.commit(append)
  }

  func read<T>(_ body: (any EventLog) throws -> T) throws -> T { try store.read(body) }
}
