import AnnalsTesting
import Synchronization

/// A disk that can show what it would contain after a loss of power at any moment.
///
/// Synced data is there. Every later write to a file may be there or not, whatever the order of the writes. The same
/// holds for files that were created or deleted since the last sync of their folder.
package final class PowerDisk: FileWatcher {
  /// The content of the disk after a loss of power at a moment.
  package struct Picture: Sendable {
    /// How many actions had happened at that moment.
    package let moment: Int
    package let files: [String: [UInt8]]
  }

  /// A change to a file that may not be on the disk.
  enum Change {
    case write([UInt8], at: Int)
    case cut(to: Int)
  }

  struct File {
    var synced: [UInt8] = []
    /// The changes since the last sync.
    var changes: [Change] = []
  }

  fileprivate struct State {
    /// The files by number, including those without a name, because an old name may come back.
    var files: [File] = []
    var names: [String: Int] = [:]
    var syncedNames: [String: Int] = [:]
    /// The names that were added and removed since the last sync, in order.
    var namings: [(name: String, file: Int?)] = []
    var moment = 0
    var random: SplitMix64
    var pictures: [Picture] = []
  }

  package let sparesNeighbours: Bool
  package var needsSyncs: Bool { false }
  /// One moment out of this many is recorded.
  private let rarity: Int
  private let state: Mutex<State>

  package init(seed: UInt64, oneOf rarity: Int, sparesNeighbours: Bool) {
    self.sparesNeighbours = sparesNeighbours
    self.rarity = rarity
    state = Mutex(State(random: SplitMix64(seed: seed)))
  }

  /// How many actions have happened.
  ///
  /// If you read this after a synced action, the disk has that action at every later moment.
  package var moment: Int { state.withLock { $0.moment } }

  /// The pictures so far.
  package var pictures: [Picture] { state.withLock { $0.pictures } }

  package func happened(_ event: FileEvent, to name: String) {
    state.withLock { state in
      switch event {
      case .created:
        state.files.append(File())
        state.names[name] = state.files.count - 1
        state.namings.append((name, state.files.count - 1))
      case .deleted:
        state.names[name] = nil
        state.namings.append((name, nil))
      case .syncedFolder:
        state.syncedNames = state.names
        state.namings = []
      case .wrote(let bytes, let place): state.change(name, .write(Array(bytes), at: place))
      case .cut(let size): state.change(name, .cut(to: size))
      case .synced:
        guard let file = state.names[name] else { return }
        for change in state.files[file].changes { change.apply(to: &state.files[file].synced) }
        state.files[file].changes = []
      }
      state.moment += 1
      if Int.random(in: 0..<rarity, using: &state.random) == 0 { state.takePicture(sparesNeighbours) }
    }
  }
}

extension PowerDisk.State {
  fileprivate mutating func change(_ name: String, _ change: PowerDisk.Change) {
    guard let file = names[name] else { return }
    files[file].changes.append(change)
  }

  fileprivate mutating func takePicture(_ sparesNeighbours: Bool) {
    var loss = PowerLoss(sparesNeighbours: sparesNeighbours, random: random.split())
    var found: [String: [UInt8]] = [:]
    for (name, file) in loss.names(syncedNames, namings) { found[name] = loss.contents(of: files[file]) }
    // Shared memory may be written to the disk at any time.
    for name in found.keys.sorted() where !name.contains("-") { found[name + "-shm"] = loss.sharedMemory() }
    pictures.append(PowerDisk.Picture(moment: moment, files: found))
  }
}

extension PowerDisk.Change {
  func apply(to bytes: inout [UInt8], filling filler: () -> UInt8 = { 0 }) {
    switch self {
    case .write(let new, let place):
      while bytes.count < place { bytes.append(filler()) }
      let inside = min(new.count, bytes.count - place)
      bytes.replaceSubrange(place..<place + inside, with: new)
    case .cut(let size):
      if size < bytes.count { bytes.removeLast(bytes.count - size) }
      while bytes.count < size { bytes.append(filler()) }
    }
  }
}
