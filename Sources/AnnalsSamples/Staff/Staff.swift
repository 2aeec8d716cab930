package import Annals
package import Foundation

/// An employee of a company.
package struct Employee: Row {
  package var id, name: String
  /// The height in meters.
  package var height: Double
  package var birthday: Date
  package var sectionName: String

  package init(_ id: String, _ name: String, height: Double, birthday: Date, section: String) {
    self.id = id
    self.name = name
    self.height = height
    self.birthday = birthday
    self.sectionName = section
  }
}

/// The commands of a personnel office.
package enum StaffCommand {
  case hire(Employee)
  case measure(id: Employee.ID, height: Double)
  case transfer(id: Employee.ID, section: String)
  case renameSection(String, to: String)
  case dismiss(id: Employee.ID)
}

/// The events of a company's staff.
package enum StaffEvent: Event {
  case hired(Employee)
  case measured(id: Employee.ID, height: Double)
  case transferred(id: Employee.ID, section: String)
  case sectionRenamed(section: String, title: String)
  case dismissed(id: Employee.ID)
}

/// The decider that turns a personnel office's commands into the events of one company's staff.
package struct Staff: Decider {
  /// The reasons for refusing a command.
  package enum Refusal: Error, Equatable {
    case alreadyThere(Employee.ID)
    case notThere(Employee.ID)
    case unlikelyHeight(Double)
    case nameless
  }

  private var sections: [Employee.ID: String] = [:]

  package init() {}

  package func decide(_ command: StaffCommand) throws(Refusal) -> [StaffEvent] {
    switch command {
    case .hire(let employee):
      if sections[employee.id] != nil { throw .alreadyThere(employee.id) }
      if employee.name.isEmpty { throw .nameless }
      try check(employee.height)
      return [.hired(employee)]
    case .measure(let id, let height):
      if sections[id] == nil { throw .notThere(id) }
      try check(height)
      return [.measured(id: id, height: height)]
    case .transfer(let id, let section):
      guard let old = sections[id] else { throw .notThere(id) }
      return old == section ? [] : [.transferred(id: id, section: section)]
    case .renameSection(let section, let title):
      if title.isEmpty { throw .nameless }
      return [.sectionRenamed(section: section, title: title)]
    case .dismiss(let id):
      if sections[id] == nil { throw .notThere(id) }
      return [.dismissed(id: id)]
    }
  }

  private func check(_ height: Double) throws(Refusal) {
    if !(0.5...3).contains(height) { throw .unlikelyHeight(height) }
  }

  package mutating func evolve(_ event: StaffEvent) {
    switch event {
    case .hired(let employee): sections[employee.id] = employee.sectionName
    case .transferred(let id, let section): sections[id] = section
    case .dismissed(let id): sections[id] = nil
    case .measured, .sectionRenamed: break
    }
  }
}

/// The employees as rows, and the titles of their sections.
package struct Employees: Projection {
  package init() {}

  package func project(_ event: StaffEvent, into rows: inout Rows<Employee>) {
    switch event {
    case .hired(let employee): rows.insert(employee)
    case .measured(let id, let height): rows[id]?.height = height
    case .transferred(let id, let section): rows[id]?.sectionName = section
    case .sectionRenamed(let section, let title): rows.renameSection(section, of: \.sectionName, to: title)
    case .dismissed(let id): rows[id] = nil
    }
  }
}

extension ListRequest where Row == Employee {
  /// A request with sections, and sorted by name inside a section.
  package static var bySection: ListRequest {
    ListRequest(sort: [.ascending(\.name)], section: .by(\.sectionName))
  }
}
