// The names of Core Data that an app with a fetched results controller uses, for `.ci/apple-shape`.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

public protocol NSFetchRequestResult: NSObjectProtocol {}

open class NSManagedObject: NSObject, NSFetchRequestResult {
  open var objectID: NSManagedObjectID { fatalError() }
  public init(context: NSManagedObjectContext) {}
  open func value(forKey key: String) -> Any? { nil }
}

open class NSManagedObjectID: NSObject {
  open func uriRepresentation() -> URL { fatalError() }
}

open class NSManagedObjectContext: NSObject {
  open func save() throws {}
  public func fetch<T: NSFetchRequestResult>(_ request: NSFetchRequest<T>) throws -> [T] { [] }
}

open class NSPersistentContainer: NSObject {
  open var viewContext: NSManagedObjectContext { fatalError() }
}

open class NSFetchRequest<ResultType>: NSObject {
  open var sortDescriptors: [NSSortDescriptor]?
  public init(entityName: String) {}
}

public protocol NSFetchedResultsSectionInfo {
  var name: String { get }
  var indexTitle: String? { get }
  var numberOfObjects: Int { get }
  var objects: [Any]? { get }
}

// In the framework, the parameter conforms to NSFetchRequestResult. Without Objective-C, the protocol's own type can't
// conform to it.
open class NSFetchedResultsController<ResultType>: NSObject {
  weak open var delegate: (any NSFetchedResultsControllerDelegate)?
  open var sections: [any NSFetchedResultsSectionInfo]? { nil }
  open var fetchedObjects: [ResultType]? { nil }

  public init(
    fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
    sectionNameKeyPath: String?, cacheName name: String?
  ) {}

  open func performFetch() throws {}
  open func object(at indexPath: IndexPath) -> ResultType { fatalError() }
}

public enum NSFetchedResultsChangeType: UInt, Sendable {
  case insert = 1
  case delete = 2
  case move = 3
  case update = 4
}

public protocol NSFetchedResultsControllerDelegate: NSObjectProtocol {
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)
  func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)
  func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)
}

extension NSFetchedResultsControllerDelegate {
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {}
  public func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
  public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
}
