import Annals
import Foundation

#if !canImport(UIKit) && !os(macOS)
  /// The few names of UIKit that the pages' screens use, with UIKit's signatures, for systems without UIKit.
  ///
  /// The table keeps its cells as UITableView does: what is not reloaded shows what it was. It counts its rows, and has
  /// a sentence for each bracket whose counts do not fit.
  @MainActor class UITableView {
    enum Style { case plain }
    enum RowAnimation { case automatic, fade }

    weak var dataSource: UITableViewController?
    private(set) var problems: [String] = []
    private var sections: [Section] = []
    private var change: Change?

    /// What is on the screen of one section.
    private struct Section {
      var header: String
      var cells: [UITableViewCell]
    }

    /// What a bracket has of changes.
    private struct Change {
      var deletedRows: Set<IndexPath> = []
      var insertedRows: Set<IndexPath> = []
      var reloadedRows: Set<IndexPath> = []
      var movedRows: [IndexPath: IndexPath] = [:]
      var deletedSections = IndexSet()
      var insertedSections = IndexSet()
      var reloadedSections = IndexSet()
    }

    func register(_ type: UITableViewCell.Type, forCellReuseIdentifier identifier: String) {}

    func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? { nil }

    func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
      UITableViewCell(style: .default, reuseIdentifier: identifier)
    }

    func reloadData() {
      sections = counts().indices.map(load)
    }

    private func counts() -> [Int] {
      guard let dataSource else { return [] }
      return (0..<dataSource.numberOfSections(in: self)).map { dataSource.tableView(self, numberOfRowsInSection: $0) }
    }

    private func load(_ section: Int) -> Section {
      Section(
        header: dataSource?.tableView(self, titleForHeaderInSection: section) ?? "",
        cells: (0..<counts()[section]).map { load(IndexPath(row: $0, section: section)) })
    }

    private func load(_ path: IndexPath) -> UITableViewCell {
      dataSource?.tableView(self, cellForRowAt: path) ?? UITableViewCell(style: .default, reuseIdentifier: nil)
    }

    func beginUpdates() { change = Change() }

    func endUpdates() {
      guard let change else {
        problems.append("a bracket ends that did not begin")
        return
      }
      self.change = nil
      let expected = expectedCounts(change)
      guard expected == counts() else {
        problems.append("the table expects \(expected), and the data source has \(counts())")
        return reloadData()
      }
      apply(change)
    }

    /// Each section that stays has its rows, less those that are deleted, and more that are inserted.
    private func expectedCounts(_ change: Change) -> [Int] {
      var expected = sections.map(\.cells.count)
      for path in change.deletedRows.union(change.movedRows.keys) where !change.deletedSections.contains(path.section) {
        expected[path.section] -= 1
      }
      for index in change.deletedSections.reversed() { expected.remove(at: index) }
      for index in change.insertedSections { expected.insert(counts()[index], at: index) }
      for path in change.insertedRows.union(change.movedRows.values)
      where !change.insertedSections.contains(path.section) {
        expected[path.section] += 1
      }
      return expected
    }

    /// Takes cells out by their old paths, and puts cells in by their new ones, as UITableView does.
    private func apply(_ change: Change) {
      var moved: [(cell: UITableViewCell, new: IndexPath)] = []
      var kept: [[UITableViewCell?]] = []
      for (index, section) in sections.enumerated() {
        var cells: [UITableViewCell?] = []
        for (row, cell) in section.cells.enumerated() {
          let path = IndexPath(row: row, section: index)
          if let new = change.movedRows[path] {
            moved.append((cell, new))
          } else if !change.deletedRows.contains(path) {
            cells.append(change.reloadedRows.contains(path) ? nil : cell)
          }
        }
        kept.append(cells)
      }
      var headers: [String?] = sections.indices.map {
        change.reloadedSections.contains($0) ? nil : sections[$0].header
      }
      for index in change.reloadedSections { kept[index] = kept[index].map { _ in nil } }
      for index in change.deletedSections.reversed() {
        kept.remove(at: index)
        headers.remove(at: index)
      }
      for index in change.insertedSections {
        kept.insert([UITableViewCell?](repeating: nil, count: counts()[index]), at: index)
        headers.insert(nil, at: index)
      }
      var arrivals = moved.map { (path: $0.new, cell: Optional($0.cell)) }
      for path in change.insertedRows { arrivals.append((path, nil)) }
      for (path, cell) in arrivals.sorted(by: { $0.path < $1.path })
      where !change.insertedSections.contains(path.section) {
        kept[path.section].insert(cell, at: path.row)
      }
      sections = kept.indices.map { index in
        Section(
          header: headers[index] ?? load(index).header,
          cells: kept[index].enumerated().map { row, cell in cell ?? load(IndexPath(row: row, section: index)) })
      }
    }

    func insertRows(at paths: [IndexPath], with animation: RowAnimation) { change?.insertedRows.formUnion(paths) }
    func deleteRows(at paths: [IndexPath], with animation: RowAnimation) { change?.deletedRows.formUnion(paths) }
    func reloadRows(at paths: [IndexPath], with animation: RowAnimation) { change?.reloadedRows.formUnion(paths) }
    func insertSections(_ sections: IndexSet, with animation: RowAnimation) {
      change?.insertedSections.formUnion(sections)
    }
    func deleteSections(_ sections: IndexSet, with animation: RowAnimation) {
      change?.deletedSections.formUnion(sections)
    }
    func reloadSections(_ sections: IndexSet, with animation: RowAnimation) {
      change?.reloadedSections.formUnion(sections)
    }
    func moveRow(at old: IndexPath, to new: IndexPath) { change?.movedRows[old] = new }

    /// What is on the screen: a line for each header and each cell.
    var lines: [String] {
      sections.flatMap { section in
        (section.header.isEmpty ? [] : ["# \(section.header)"])
          + section.cells.map { cell in
            [cell.textLabel?.text, cell.detailTextLabel?.text].compactMap(\.self).joined(separator: "  ")
          }
      }
    }
  }

  struct UIBackgroundTaskIdentifier: Hashable {
    let number: Int
    static let invalid = UIBackgroundTaskIdentifier(number: 0)
  }

  /// The app, whose time in the background ends when a test calls `expire()`.
  @MainActor final class UIApplication {
    static let shared = UIApplication()
    private var handlers: [UIBackgroundTaskIdentifier: @MainActor @Sendable () -> Void] = [:]
    private var count = 0

    func beginBackgroundTask(
      expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
      count += 1
      let task = UIBackgroundTaskIdentifier(number: count)
      handlers[task] = handler ?? {}
      return task
    }

    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) { handlers[identifier] = nil }
    func expire() { for handler in handlers.values { handler() } }
    var backgroundTasks: Int { handlers.count }
  }

  @MainActor final class UILabel { var text: String? }

  @MainActor final class UITableViewCell {
    enum CellStyle { case `default`, subtitle }
    enum EditingStyle { case none, delete, insert }

    var textLabel: UILabel? = UILabel()
    var detailTextLabel: UILabel?

    init(style: CellStyle, reuseIdentifier: String?) { detailTextLabel = style == .subtitle ? UILabel() : nil }
  }

  @MainActor class UITableViewController {
    let tableView = UITableView()

    init(style: UITableView.Style) { tableView.dataSource = self }
    required init?(coder: NSCoder) { return nil }

    func viewDidLoad() {}
    func numberOfSections(in tableView: UITableView) -> Int { 1 }
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
    func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { nil }
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
      UITableViewCell(style: .default, reuseIdentifier: nil)
    }
    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    func tableView(
      _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle, forRowAt indexPath: IndexPath
    ) {}
  }
#endif
