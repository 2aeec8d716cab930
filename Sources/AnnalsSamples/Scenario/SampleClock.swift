package import Annals
import Foundation
import Synchronization

/// The clock of a sample's stores: the system's time, or a time in a story of the past.
package final class SampleClock: Sendable {
  private let state = Mutex<(time: Date?, ids: Int)>((nil, 0))

  package init() {}

  /// Sets the time.
  ///
  /// Afterwards, the time passes only by further calls, and ids of events are numbered.
  func set(_ time: Date) { state.withLock { $0.time = time } }

  /// The environment for the sample's stores.
  package var environment: StoreEnvironment {
    var environment = StoreEnvironment()
    let makeID = environment.makeID
    environment.now = { self.state.withLock { $0.time } ?? Date() }
    environment.makeID = {
      self.state.withLock { state in
        guard state.time != nil else { return makeID() }
        state.ids += 1
        return "e\(state.ids)"
      }
    }
    return environment
  }
}
