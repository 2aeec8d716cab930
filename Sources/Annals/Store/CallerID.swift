import Foundation
import Synchronization

/// A task, or a thread that runs none.
enum CallerID: Hashable {
  case task(Int)
  case thread(Int)

  static var current: CallerID {
    if let task = withUnsafeCurrentTask(body: { $0?.hashValue }) { return .task(task) }
    let key = "Annals.CallerID"
    if let known = Thread.current.threadDictionary[key] as? Int { return .thread(known) }
    // A system's thread ids are used again, these numbers are not.
    let number = nextThread.wrappingAdd(1, ordering: .relaxed).newValue
    Thread.current.threadDictionary[key] = number
    return .thread(number)
  }

  private static let nextThread = Atomic(0)
}
