import Annals
import AnnalsSQLite
import Foundation

/// A follower that prints each event that it handles, until the process is killed.
enum ClaimWork {
  /// Runs the follower.
  ///
  /// - Parameters:
  ///   - path: The log.
  ///   - last: The position of an event for which the follower's code never returns, or 0.
  /// - Throws: An error of the store.
  static func mail(_ path: String, holdingAt last: Int) throws {
    let store = try SQLiteEventStore(path: path)
    let mailer = try EventFollower("mailer", of: MailEvent.self, in: store, startingAt: .beginning) { recorded, _ in
      StoreChild.say("\(recorded.position)")
      while recorded.position.rawValue == last { try await Task.sleep(for: .seconds(3_600)) }
    }
    let end = DispatchSemaphore(value: 0)
    Task {
      do { try await mailer.run() } catch { StoreChild.say("error \(error)") }
      end.signal()
    }
    end.wait()
  }
}

enum MailEvent: Event {
  static let typePrefix = "Mail"
  case wanted(Int)
}
