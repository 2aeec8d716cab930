import AnnalsTesting
import Synchronization

/// A disk that can tell what would be on it if the power had gone at some moment.
///
/// What was synced is there. Of what was written to a file since its last sync every part may be there or not, in whatever order it
/// was written, and so of files that were created and deleted since their folder was synced last.
package final class PowerDisk: FileWatcher {
  /// What is on the disk if the power goes at a moment.
  package struct Picture: Sendable {
    /// How many things had happened at the moment.
    package let moment: Int
    package let files: [String: [UInt8]]
  }

  /// What was done to a file, and may not be on the disk.
  enum Change {
    case write([UInt8], at: Int)
    case cut(to: Int)
  }

  struct File {
    var synced: [UInt8] = []
    /// What was done since.
    var changes: [Change] = []
  }

  fileprivate struct State {
    /// The files by number, those without a name too: an old name may come back.
    var files: [File] = []
    var names: [String: Int] = [:]
    var syncedNames: [String: Int] = [:]
    /// The names that were given and taken since, in order.
    var namings: [(name: String, file: Int?)] = []
    var moment = 0
    var random: SplitMix64
    var pictures: [Picture] = []
  }

  package let sparesNeighbours: Bool
  package var needsSyncs: Bool { false }
  /// One of how many moments is kept.
  private let rarity: Int
  private let state: Mutex<State>

  package init(seed: UInt64, oneOf rarity: Int, sparesNeighbours: Bool) {
    self.sparesNeighbours = sparesNeighbours
    self.rarity = rarity
    state = Mutex(State(random: SplitMix64(seed: seed)))
  }

  /// How many things have happened: what is done when it is asked is on the disk at every later moment, if it is synced.
  package var moment: Int { state.withLock { $0.moment } }

  /// The pictures that were taken so far.
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
    // What lies in the memory that processes share may be written to the disk at any time.
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
