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

/// Notifications from the operating system that a log was written to, moved or deleted.
///
/// They use `inotify` on Linux and `kqueue` on Apple's systems. SQLite writes commits with `pwrite` into the log's
/// `-wal` file, which the system reports. SQLite changes the `-shm` file in memory, which the system doesn't report. So
/// an event arrives before its commit can be read: SQLite writes the commit, syncs it, and then adds it to the index in
/// the `-shm` file.
///
/// An object of this class is used only on the queue that it was created with. It's unchecked `Sendable` because an
/// event handler runs on this queue, but the compiler may require that a handler's captures are sendable.
final class FileEvents: @unchecked Sendable {
  private let source: any DispatchSourceProtocol
  /// True while the dispatch source is resumed, because a source must not be suspended twice or released while
  /// suspended.
  private var isListening = false

  /// Starts to collect file events, or returns `nil` if the system provides none.
  ///
  /// - Parameters:
  ///   - place: The log to observe.
  ///   - queue: The queue on which `body` runs.
  ///   - body: A closure that is called once per call of ``listen()``. It's called when an event occurs, or immediately
  ///     if an event has occurred since the last call of `body`.
  init?(_ place: LogLocation, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    guard let source = Self.source(place, queue) else { return nil }
    self.source = source
    source.setEventHandler { [weak self] in
      guard let self, self.isListening else { return }
      self.isListening = false
      // While the source is suspended, the system keeps later events. At the next call, they count as one event.
      self.source.suspend()
      self.forget()
      body()
    }
    source.activate()
    source.suspend()
  }

  /// Requests one call of the closure, for the next event or for events since its last call.
  func listen() {
    if isListening { return }
    isListening = true
    source.resume()
  }

  /// Discards the events that have occurred.
  func forget() { Self.forget(source) }

  deinit {
    source.cancel()
    if !isListening { source.resume() }
  }

  #if canImport(Darwin)
    private static func source(_ place: LogLocation, _ queue: DispatchQueue) -> (any DispatchSourceProtocol)? {
      // The `-wal` file is observed, because SQLite has no locks on it. Closing a descriptor of the log's own file
      // would release the locks that SQLite has on that file in this process (sqlite.org/howtocorrupt.html, 2.2).
      let descriptor = open(place.commits, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .extend, .delete, .rename], queue: queue)
      source.setCancelHandler { close(descriptor) }
      return source
    }

    /// Has no effect, because a source of this system discards delivered events itself.
    private static func forget(_ source: any DispatchSourceProtocol) {}
  #else
    private static func source(_ place: LogLocation, _ queue: DispatchQueue) -> (any DispatchSourceProtocol)? {
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

    /// Reads and discards the available events, because their contents don't matter.
    private static func forget(_ source: any DispatchSourceProtocol) {
      guard let source = source as? any DispatchSourceRead else { return }
      withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { bytes in
        while read(Int32(source.handle), bytes.baseAddress, bytes.count) > 0 {}
      }
    }
  #endif
}
