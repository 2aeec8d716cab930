import Foundation
import Synchronization

/// An identifier of the current task, or of the current thread outside of a task.
package enum CallerID: Hashable {
  case task(Int)
  case thread(Int)

  package static var current: CallerID {
    if let task = withUnsafeCurrentTask(body: { $0?.hashValue }) { return .task(task) }
    let key = "Annals.CallerID"
    if let known = Thread.current.threadDictionary[key] as? Int { return .thread(known) }
    // The system reuses the ids of ended threads, so every thread gets a unique number.
    let number = nextThread.wrappingAdd(1, ordering: .relaxed).newValue
    Thread.current.threadDictionary[key] = number
    return .thread(number)
  }

  private static let nextThread = Atomic(0)
}
