import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#endif

/// Hears from the system that a log was written to, moved or deleted: `inotify` on Linux, `kqueue` on Apple's systems.
///
/// SQLite writes commits with `pwrite` into the file beside the log that ends in `-wal`, which the system sees. What it
/// does in the file that ends in `-shm` is done in memory, which the system does not see. So an event comes before the
/// commit that it belongs to can be read: the write comes first, then the sync, then the note in memory.
///
/// It is used on the queue that it was made with.
final class FileEvents {
  private let source: any DispatchSourceProtocol
  /// A source must not be suspended twice, nor released while it is suspended.
  private var isListening = false

  /// Begins to collect events; nil if the system gives none.
  ///
  /// - Parameters:
  ///   - place: The log.
  ///   - queue: Where the body runs.
  ///   - body: Called after each call of ``listen()`` once, when something happens or has happened.
  init?(_ place: LogPlace, on queue: DispatchQueue, _ body: @escaping () -> Void) {
    guard let source = Self.source(place, queue) else { return nil }
    self.source = source
    source.setEventHandler { [weak self] in
      guard let self, self.isListening else { return }
      self.isListening = false
      // What comes from now on is kept by the system, and counts as one event at the next call.
      source.suspend()
      Self.forget(source)
      body()
    }
    source.activate()
    source.suspend()
  }

  /// Asks for one call of the body; what happened since the last one counts.
  func listen() {
    if isListening { return }
    isListening = true
    source.resume()
  }

  deinit {
    source.cancel()
    if !isListening { source.resume() }
  }

  #if canImport(Darwin)
    private static func source(_ place: LogPlace, _ queue: DispatchQueue) -> (any DispatchSourceProtocol)? {
      // Not the log's own file: closing a descriptor of it would end the locks that SQLite has on it in this process
      // (sqlite.org/howtocorrupt.html, 2.2). On the file of commits SQLite has no locks.
      let descriptor = open(place.commits, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .extend, .delete, .rename], queue: queue)
      source.setCancelHandler { close(descriptor) }
      return source
    }

    /// The source itself has forgotten what it has handed over.
    private static func forget(_ source: any DispatchSourceProtocol) {}
  #else
    private static func source(_ place: LogPlace, _ queue: DispatchQueue) -> (any DispatchSourceProtocol)? {
      let descriptor = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      let (modified, gone) = (UInt32(IN_MODIFY), UInt32(IN_ATTRIB) | UInt32(IN_MOVE_SELF) | UInt32(IN_DELETE_SELF))
      guard inotify_add_watch(descriptor, place.commits, modified | gone) >= 0,
        inotify_add_watch(descriptor, place.file, gone) >= 0
      else {
        close(descriptor)
        return nil
      }
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setCancelHandler { close(descriptor) }
      return source
    }

    /// Reads the events that are there: what they say is of no use.
    private static func forget(_ source: any DispatchSourceProtocol) {
      guard let source = source as? any DispatchSourceRead else { return }
      withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { bytes in
        while read(Int32(source.handle), bytes.baseAddress, bytes.count) > 0 {}
      }
    }
  #endif
}
