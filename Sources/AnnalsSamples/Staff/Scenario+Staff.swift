import Annals
import Foundation

extension Scenario {
  static func staff(_ store: some EventStore) throws -> Scenario {
    func employee(_ id: String, _ name: String, _ height: Double, _ year: Int, _ section: String) -> Employee {
      // With years of 365.25 days, the birthday is in the right year. A sample doesn't need a calendar.
      let birthday = Date(timeIntervalSince1970: (Double(year - 1970) + 0.4) * 365.25 * 86_400)
      return Employee(id, name, height: height, birthday: birthday, section: section)
    }
    let execute = { (command: StaffCommand) in _ = try store.execute(command, on: Staff["main"]) }
    for one in [
      employee("e1", "Ada", 1.65, 1990, "1"), employee("e2", "Ben", 1.8, 1985, "1"),
      employee("e3", "Cho", 1.72, 1997, "2"),
    ] {
      try execute(.hire(one))
    }
    let screen = try StaffScreen(store)
    let shown = AnyListScreen(screen)
    return Scenario(
      name: "staff", summary: "Employees by section, with a custom section index.", screen: shown,
      steps: [
        Step(title: "Add two employees, one of them in a new section.", screen: shown) {
          try store.transaction { transaction in
            for one in [employee("e4", "Dov", 1.9, 1979, "3"), employee("e5", "Eli", 1.77, 2001, "2")] {
              try transaction.execute(.hire(one), on: Staff["main"])
            }
          }
        },
        Step(title: "Delete the first row of the first section through the list.", screen: shown) {
          try screen.delete(at: IndexPath(RowPath(section: 0, row: 0)))
        },
        Step(
          title: "Move Ben, the only employee in his section, to section 2.",
          remark:
            "A table view refuses a move out of a section that is deleted in the same batch. So the controller "
            + "reports a deletion and an insertion.", isOnTour: true, screen: shown
        ) {
          try execute(.transfer(id: "e2", section: "2"))
        },
        Step(
          title: "Rename section 2.",
          remark: "Core Data's controller would report a change of every row in the section.", screen: shown,
          lines: {
            let controller = screen.controller
            let path = controller.indexPath(forID: "e5")
            return [
              "The index: \(controller.sectionIndexTitles.joined(separator: ", ")).",
              "Eli's index path is \(path.flatMap { RowPath($0) }?.description ?? "missing"), "
                + "and the employee at this path is \(path.map { controller.object(at: $0).name } ?? "missing").",
            ]
          }
        ) {
          try execute(.renameSection("2", to: "Workshop"))
        },
      ])
  }
}
