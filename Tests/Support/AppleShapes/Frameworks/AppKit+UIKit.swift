// The declarations that this package uses of AppKit on macOS, and of UIKit on the other systems, for `.ci/apple-shape`.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import Foundation

#if !os(watchOS)
  extension IndexPath {
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    public var item: Int {
      get { self[1] }
      set { self[1] = newValue }
    }

    public var section: Int {
      get { self[0] }
      set { self[0] = newValue }
    }
  }
#endif

#if !os(macOS) && !os(watchOS)
  extension IndexPath {
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

    public var row: Int {
      get { self[1] }
      set { self[1] = newValue }
    }
  }
#endif

#if !os(macOS) && !os(watchOS)
  @MainActor open class UIResponder: NSObject {}

  public struct UIBackgroundTaskIdentifier: Hashable, Sendable {
    public static let invalid = UIBackgroundTaskIdentifier()
  }

  @MainActor open class UIApplication: UIResponder {
    open class var shared: UIApplication { fatalError() }
    open func beginBackgroundTask(
      expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier { .invalid }
    open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
  }

  @MainActor open class UIView: UIResponder {
    public init(frame: CGRect) {}
    public required init?(coder: NSCoder) {}
  }

  @MainActor open class UILabel: UIView {
    open var text: String?
  }

  @MainActor open class UITableViewCell: UIView {
    public enum CellStyle: Int, Sendable { case `default`, value1, value2, subtitle }
    public enum EditingStyle: Int, Sendable { case none, delete, insert }

    open var textLabel: UILabel? { nil }
    open var detailTextLabel: UILabel? { nil }

    public init(style: CellStyle, reuseIdentifier: String?) { super.init(frame: .zero) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }
  }

  @MainActor open class UITableView: UIView {
    public enum Style: Int, Sendable { case plain, grouped, insetGrouped }
    public enum RowAnimation: Int, Sendable { case fade, right, left, top, bottom, none, middle, automatic = 100 }

    open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {}
    open func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? { nil }
    open func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
      fatalError()
    }
    open func reloadData() {}
    open func beginUpdates() {}
    open func endUpdates() {}
    open func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
    open func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
    open func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
    open func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) {}
    open func insertSections(_ sections: IndexSet, with animation: RowAnimation) {}
    open func deleteSections(_ sections: IndexSet, with animation: RowAnimation) {}
    open func reloadSections(_ sections: IndexSet, with animation: RowAnimation) {}
  }

  @MainActor open class UIViewController: UIResponder {
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {}
    public required init?(coder: NSCoder) {}
    open func viewDidLoad() {}
  }

  @MainActor open class UITableViewController: UIViewController {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var tableView: UITableView!

    public init(style: UITableView.Style) { super.init(nibName: nil, bundle: nil) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open func numberOfSections(in tableView: UITableView) -> Int { 1 }
    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
    open func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { nil }
    open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell { fatalError() }
    open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    open func tableView(
      _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle, forRowAt indexPath: IndexPath
    ) {}
  }

  public struct NSDiffableDataSourceSnapshot<
    SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
  >: Sendable {
    public init() {}
    public var sectionIdentifiers: [SectionIdentifierType] { [] }
    public mutating func appendSections(_ identifiers: [SectionIdentifierType]) {}
    public mutating func insertSections(
      _ identifiers: [SectionIdentifierType], beforeSection toIdentifier: SectionIdentifierType
    ) {}
    public mutating func deleteSections(_ identifiers: [SectionIdentifierType]) {}
    public mutating func moveSection(
      _ identifier: SectionIdentifierType, beforeSection toIdentifier: SectionIdentifierType
    ) {}
    public mutating func moveSection(
      _ identifier: SectionIdentifierType, afterSection toIdentifier: SectionIdentifierType
    ) {}
    public mutating func reloadSections(_ identifiers: [SectionIdentifierType]) {}
    public mutating func appendItems(
      _ identifiers: [ItemIdentifierType], toSection sectionIdentifier: SectionIdentifierType? = nil
    ) {}
    public mutating func insertItems(
      _ identifiers: [ItemIdentifierType], beforeItem beforeIdentifier: ItemIdentifierType
    ) {}
    public mutating func deleteItems(_ identifiers: [ItemIdentifierType]) {}
    public mutating func moveItem(_ identifier: ItemIdentifierType, beforeItem toIdentifier: ItemIdentifierType) {}
    public mutating func reconfigureItems(_ identifiers: [ItemIdentifierType]) {}
  }

  @MainActor
  open class UITableViewDiffableDataSource<
    SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
  >: NSObject {
    public typealias CellProvider = (
      _ tableView: UITableView, _ indexPath: IndexPath, _ itemIdentifier: ItemIdentifierType
    ) -> UITableViewCell?

    public init(tableView: UITableView, cellProvider: @escaping CellProvider) {}

    open func apply(
      _ snapshot: NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>,
      animatingDifferences: Bool = true, completion: (() -> Void)? = nil
    ) {}

    open func snapshot() -> NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType> { fatalError() }
  }
#endif
