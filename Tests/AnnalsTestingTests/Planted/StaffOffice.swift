import Annals
import AnnalsSamples
import AnnalsTesting
import Foundation
import Synchronization

/// An office that works on a store, with a list and a table that gets its changes.
final class StaffOffice {
  let store: CarelessStore
  let controller: FetchedResultsController<Employee>
  /// What a table view could not apply, or showed wrongly.
  private(set) var violation: (any Error)?
  private(set) var table: MirrorTable<Employee>
  private let bug: PlantedBug
  private let between = Between()
  private var observation: ChangeObservation?

  /// The action between a writer's read and its append.
  private final class Between: Sendable {
    let action = Mutex<(@Sendable () throws -> Void)?>(nil)
  }

  init(_ bug: PlantedBug) throws {
    self.bug = bug
    let environment = StoreEnvironment(hook: { [between] moment in
      guard case .willAppend = moment else { return }
      let action = between.action.withLock { action in
        defer { action = nil }
        return action
      }
      try action?()
    })
    store = CarelessStore(environment, bug: bug)
    controller = FetchedResultsController(store: store, projection: ForgetfulEmployees(bug: bug), request: .bySection)
    try controller.performFetch()
    table = MirrorTable(controller.results)
    observation = controller.observe { [unowned self] in tell($0) }
  }

  func hire(_ id: String, in section: String) throws { try execute(.hire(Self.employee(id, section))) }
  func measure(_ id: String, height: Double) throws { try execute(.measure(id: id, height: height)) }
  func transfer(_ id: String, to section: String) throws { try execute(.transfer(id: id, section: section)) }
  func renameSection(_ section: String, to title: String) throws { try execute(.renameSection(section, to: title)) }
  func dismiss(_ id: String) throws { try execute(.dismiss(id: id)) }

  /// Dismisses one employee and measures another, in one transaction.
  func dismiss(_ id: String, andMeasure other: String, height: Double) throws {
    try store.transaction { transaction in
      try transaction.execute(command(.dismiss(id: id)), on: LaxStaff["main"])
      try transaction.execute(command(.measure(id: other, height: height)), on: LaxStaff["main"])
    }
  }

  /// Two clerks hire the same person at the same time; returns the number of contracts afterwards.
  func hireAtOnce(_ id: String, in section: String) throws -> Int {
    let before = try store.head()
    let other = LaxStaff.Command(command: .hire(Self.employee(id, section)), bug: .none)
    between.action.withLock { action in
      action = { [store] in _ = try? store.execute(other, on: LaxStaff["main"]) }
    }
    _ = try? store.execute(other, on: LaxStaff["main"])
    between.action.withLock { $0 = nil }
    controller.refresh()
    return try store.head().rawValue - before.rawValue
  }

  /// The content of the list: titles, and ids with heights.
  var list: [[String]] {
    controller.sections.map { section in [section.title] + section.map { "\($0.id) \($0.height)" } }
  }

  private func command(_ command: StaffCommand) -> LaxStaff.Command { LaxStaff.Command(command: command, bug: bug) }

  private func execute(_ wanted: StaffCommand) throws {
    try store.execute(command(wanted), on: LaxStaff["main"])
  }

  private static func employee(_ id: String, _ section: String) -> Employee {
    Employee(id, "n\(id)", height: 1, birthday: .distantPast, section: section)
  }

  /// Gives the table the changes in two brackets, as a controller calls its delegate.
  private func tell(_ changes: Changes<Employee>) {
    let sections = changes.sections.filter { if case .update = $0 { false } else { true } }
    let rows = changes.rows.filter { change in
      switch change {
      case .update: false
      case .move: bug != .tellsNoMove
      default: true
      }
    }
    let titles = changes.sections.compactMap { change -> SectionChange? in
      guard case .update(_, let index, let key, let title) = change else { return nil }
      return .update(index: index, newIndex: index, key: key, title: title)
    }
    let content = changes.rows.compactMap { change -> RowChange<Employee>? in
      switch change {
      case .update(let row, let at, let newAt):
        let path = bug == .reloadsAtOldPath ? at : newAt
        return .update(row: row, at: path, newAt: path)
      case .move(let row, _, let to, true): return .update(row: row, at: to, newAt: to)
      default: return nil
      }
    }
    do {
      try table.apply(sections: sections, rows: rows, showing: changes.new)
      try table.apply(sections: titles, rows: content, showing: changes.new)
      try table.ensureShows(changes.new)
    } catch {
      violation = violation ?? error
    }
  }
}

struct StaffMachine: Machine {
  struct Model {
    /// Ids with sections and heights.
    var employees: [String: (section: String, height: Double)] = [:]
    var titles: [String: String] = [:]

    var list: [[String]] {
      Set(employees.values.map(\.section)).sorted().map { section in
        let rows = employees.filter { $0.value.section == section }.sorted { $0.key < $1.key }
        return [titles[section] ?? section] + rows.map { "\($0.key) \($0.value.height)" }
      }
    }

    mutating func hire(_ id: String, _ section: String) throws {
      guard employees[id] == nil else { throw Staff.Refusal.alreadyThere(id) }
      employees[id] = (section, 1)
    }

    mutating func dismiss(_ id: String) throws {
      guard employees.removeValue(forKey: id) != nil else { throw Staff.Refusal.notThere(id) }
    }

    mutating func measure(_ id: String, _ height: Double) throws {
      guard employees[id] != nil else { throw Staff.Refusal.notThere(id) }
      employees[id]?.height = height
    }
  }

  let bug: PlantedBug

  var setup: String { "let system = try StaffOffice(.\(bug))" }

  func start() throws -> (model: Model, system: StaffOffice) { (Model(), try StaffOffice(bug)) }

  var commands: [Command<Model, StaffOffice>] {
    let id = Generator<String>.element(of: ["a", "b", "c", "d"])
    let section = Generator<String>.element(of: ["s", "t", "u"])
    let height = Generator<Double>.element(of: [1, 2])
    Command("hire(_:in:)", weight: 3) { (_: Model) in
      zip(id, section)
    } model: { (model: inout Model, arguments: (String, String)) in
      try model.hire(arguments.0, arguments.1)
    } run: { office, arguments in
      try office.hire(arguments.0, in: arguments.1)
    }
    Command("dismiss(_:)") { (_: Model) in
      id
    } model: { (model: inout Model, id: String) in
      try model.dismiss(id)
    } run: { office, id in
      try office.dismiss(id)
    }
    Command("measure(_:height:)") { (_: Model) in
      zip(id, height)
    } model: { (model: inout Model, arguments: (String, Double)) in
      try model.measure(arguments.0, arguments.1)
    } run: { office, arguments in
      try office.measure(arguments.0, height: arguments.1)
    }
    Command("transfer(_:to:)", weight: 2) { (_: Model) in
      zip(id, section)
    } model: { (model: inout Model, arguments: (String, String)) in
      guard model.employees[arguments.0] != nil else { throw Staff.Refusal.notThere(arguments.0) }
      model.employees[arguments.0]?.section = arguments.1
    } run: { office, arguments in
      try office.transfer(arguments.0, to: arguments.1)
    }
    Command("renameSection(_:to:)") { (_: Model) in
      zip(section, .string(of: "st", count: 0...2))
    } model: { (model: inout Model, arguments: (String, String)) in
      guard !arguments.1.isEmpty else { throw Staff.Refusal.nameless }
      model.titles[arguments.0] = arguments.1
    } run: { office, arguments in
      try office.renameSection(arguments.0, to: arguments.1)
    }
    Command("dismiss(_:andMeasure:height:)") { (_: Model) in
      zip(id, id, height)
    } model: { (model: inout Model, arguments: (String, String, Double)) in
      try model.dismiss(arguments.0)
      try model.measure(arguments.1, arguments.2)
    } run: { (office: StaffOffice, arguments: (String, String, Double)) in
      try office.dismiss(arguments.0, andMeasure: arguments.1, height: arguments.2)
    }
    Command("hireAtOnce(_:in:)") { (_: Model) in
      zip(id, section)
    } model: { (model: inout Model, arguments: (String, String)) in
      guard model.employees[arguments.0] == nil else { return 0 }
      try model.hire(arguments.0, arguments.1)
      return 1
    } run: { office, arguments in
      try office.hireAtOnce(arguments.0, in: arguments.1)
    }
  }

  func invariant(_ model: Model, _ system: StaffOffice) throws {
    // Everything that is wrong with the table counts as one cause.
    try ensure(system.violation == nil, system.violation.map { "\($0)" } ?? "")
    try ensureEqual(system.list, model.list)
    sometimes(system.list.count > 1, "several sections")
  }

  func store(of system: StaffOffice) -> (any EventStore)? { system.store }
}
