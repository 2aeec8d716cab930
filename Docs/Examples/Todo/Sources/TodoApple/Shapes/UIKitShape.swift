import Annals
import Foundation

#if !canImport(UIKit) && !os(macOS)
  /// The few names of UIKit that the list's screen uses, with UIKit's signatures, for systems without UIKit.
  ///
  /// The table counts its rows as UITableView does, and keeps a sentence for each bracket whose counts do not fit.
  @MainActor public class UITableView {
    public enum Style { case plain }
    public enum RowAnimation { case automatic }

    weak var dataSource: UITableViewController?
    public private(set) var problems: [String] = []
    private var rows: [Int] = []
    private var change: Change?

    /// What a bracket has of changes.
    private struct Change {
      var deletedRows: [IndexPath] = []
      var insertedRows: [IndexPath] = []
      var deletedSections = IndexSet()
      var insertedSections = IndexSet()
    }

    public func register(_ type: UITableViewCell.Type, forCellReuseIdentifier identifier: String) {}

    public func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
      UITableViewCell()
    }

    public func reloadData() { rows = counts() }

    private func counts() -> [Int] {
      guard let dataSource else { return [] }
      return (0..<dataSource.numberOfSections(in: self)).map { dataSource.tableView(self, numberOfRowsInSection: $0) }
    }

    public func beginUpdates() { change = Change() }

    public func endUpdates() {
      guard let change else {
        problems.append("a bracket ends that did not begin")
        return
      }
      // Each section that stays has its rows, less those that are deleted, and more that are inserted.
      var expected = rows
      for path in change.deletedRows where !change.deletedSections.contains(path.section) {
        expected[path.section] -= 1
      }
      for index in change.deletedSections.reversed() { expected.remove(at: index) }
      for index in change.insertedSections { expected.insert(0, at: index) }
      for path in change.insertedRows { expected[path.section] += 1 }
      rows = counts()
      if expected != rows { problems.append("the table expects \(expected), and the data source has \(rows)") }
      self.change = nil
    }

    public func insertRows(at paths: [IndexPath], with animation: RowAnimation) { change?.insertedRows += paths }
    public func deleteRows(at paths: [IndexPath], with animation: RowAnimation) { change?.deletedRows += paths }
    public func reloadRows(at paths: [IndexPath], with animation: RowAnimation) {}
    public func insertSections(_ sections: IndexSet, with animation: RowAnimation) {
      change?.insertedSections.formUnion(sections)
    }
    public func deleteSections(_ sections: IndexSet, with animation: RowAnimation) {
      change?.deletedSections.formUnion(sections)
    }
    public func reloadSections(_ sections: IndexSet, with animation: RowAnimation) {}
    public func moveRow(at old: IndexPath, to new: IndexPath) {
      change?.deletedRows.append(old)
      change?.insertedRows.append(new)
    }

    /// What is on the screen: a line for each header and each cell.
    public var lines: [String] {
      guard let dataSource else { return [] }
      return rows.indices.flatMap { section in
        ["# \(dataSource.tableView(self, titleForHeaderInSection: section) ?? "")"]
          + (0..<rows[section]).map {
            dataSource.tableView(self, cellForRowAt: IndexPath(row: $0, section: section)).textLabel?.text ?? ""
          }
      }
    }
  }

  @MainActor public final class UILabel { public var text: String? }

  @MainActor public final class UITableViewCell {
    public enum EditingStyle { case none, delete, insert }

    public var textLabel: UILabel? = UILabel()
  }

  @MainActor open class UITableViewController {
    public let tableView = UITableView()

    public init(style: UITableView.Style) { tableView.dataSource = self }
    public required init?(coder: NSCoder) { return nil }

    open func viewDidLoad() {}
    open func numberOfSections(in tableView: UITableView) -> Int { 1 }
    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
    open func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { nil }
    open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
      UITableViewCell()
    }
    open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    open func tableView(
      _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle, forRowAt indexPath: IndexPath
    ) {}
  }
#endif
