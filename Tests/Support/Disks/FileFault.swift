import CAnnalsSQLite

/// What SQLite asks of the system, where it may fail.
package enum FileCall: String, CaseIterable, Sendable {
  case open, delete, look, read, write, cut, sync, size, lock, mapMemory, lockMemory

  /// The ways in which it may fail.
  package var faults: [FileFault] {
    switch self {
    case .read: [.error, .short]
    case .write: [.error, .full, .torn, .done]
    case .sync, .cut: [.error, .done]
    case .lock, .lockMemory: [.busy, .error]
    case .open, .delete, .look, .size, .mapMemory: [.error]
    }
  }

  /// SQLite's code for its failure (sqlite.org/rescode.html).
  fileprivate var code: Int32 {
    let detail: Int32 =
      switch self {
      case .open: 0
      case .read: 1
      case .write: 3
      case .sync: 4
      case .cut: 6
      case .size: 7
      case .delete: 10
      case .look: 13
      case .lock: 15
      case .lockMemory: 20
      case .mapMemory: 21
      }
    return self == .open ? SQLITE_CANTOPEN : SQLITE_IOERR | detail << 8
  }
}

/// A way in which a call fails.
package enum FileFault: String, Sendable {
  /// Nothing is done.
  case error
  /// The disk is full; half of the bytes are written.
  case full
  /// Half of the bytes are written.
  case torn
  /// Everything is done, and an error is answered.
  case done
  /// Half of the bytes are read, the rest are zeros, and the file is said to end there.
  case short
  /// Another process has the lock.
  case busy

  /// SQLite's code for the failure of a call.
  func code(of call: FileCall) -> Int32 {
    switch self {
    case .error, .torn, .done: call.code
    case .full: SQLITE_FULL
    case .short: SQLITE_IOERR | 2 << 8
    case .busy: SQLITE_BUSY
    }
  }
}
