import Dispatch
import Synchronization

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
/// The system also reports the store's own writes, until the first event has arrived. Then ``OwnWrites`` excludes them.
///
/// An object of this class is used only on the queue that it was created with. It's unchecked `Sendable` because an
/// event handler runs on this queue, but the compiler may require that a handler's captures are sendable.
final class FileEvents: @unchecked Sendable {
  private let observation: Observation
  private let source: any DispatchSourceRead
  private let ownWrites: OwnWrites
  /// True while the dispatch source is resumed, because a source must not be suspended twice or released while
  /// suspended.
  private var isListening = false

  /// Starts to collect file events, or returns `nil` if the system provides none.
  ///
  /// - Parameters:
  ///   - place: The log to observe.
  ///   - ownWrites: The store's own writes.
  ///   - queue: The queue on which `body` runs.
  ///   - body: A closure that is called once per call of ``listen()``. It's called when an event occurs, or immediately
  ///     if an event has occurred since the last call of `body`.
  init?(_ place: LogLocation, _ ownWrites: OwnWrites, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    guard let observation = Observation(place) else { return nil }
    self.observation = observation
    self.ownWrites = ownWrites
    source = DispatchSource.makeReadSource(fileDescriptor: observation.descriptor, queue: queue)
    source.setEventHandler { [weak self] in
      guard let self, self.isListening else { return }
      self.isListening = false
      // While the source is suspended, the system keeps later events. At the next call, they count as one event.
      self.source.suspend()
      self.observation.forget()
      // The event proves that the system reports the writes to this file. Without this proof, own writes must cause
      // events, because other processes might not write for a long time.
      self.ownWrites.exclude(from: self.observation)
      body()
    }
    source.setCancelHandler { observation.close() }
    source.activate()
    source.suspend()
  }

  /// Requests one call of the closure, for the next event or for events since its last call.
  func listen() {
    if isListening { return }
    isListening = true
    source.resume()
  }

  deinit {
    // The source closes the descriptors, which no other thread may use then.
    ownWrites.include(in: observation)
    source.cancel()
    if !isListening { source.resume() }
  }

  /// The system's observation of a log's files.
  struct Observation: Sendable {
    /// The descriptor from which the events are read.
    fileprivate let descriptor: Int32
    #if canImport(Darwin)
      /// The descriptor of the `-wal` file.
      private let file: Int32
    #else
      private let file: String
    #endif
  }
}

extension FileEvents.Observation {
  #if canImport(Darwin)
    init?(_ place: LogLocation) {
      // The `-wal` file is observed, because SQLite has no locks on it. Closing a descriptor of the log's own file
      // would release the locks that SQLite has on that file in this process (sqlite.org/howtocorrupt.html, 2.2).
      file = open(place.commits, O_EVTONLY | O_CLOEXEC)
      descriptor = kqueue()
      guard file >= 0, descriptor >= 0, observe(writes: true) else {
        close()
        return nil
      }
    }

    /// Starts the observation, or changes the kinds of events.
    ///
    /// Events that the system has already reported stay available.
    ///
    /// - Parameter writes: True for events of all kinds, false for a moved or deleted file only.
    /// - Returns: False if the system provides no events.
    @discardableResult
    fileprivate func observe(writes: Bool) -> Bool {
      let gone = UInt32(NOTE_DELETE) | UInt32(NOTE_RENAME)
      var change = kevent(
        ident: UInt(file), filter: Int16(EVFILT_VNODE), flags: UInt16(EV_ADD) | UInt16(EV_CLEAR),
        fflags: writes ? gone | UInt32(NOTE_WRITE) | UInt32(NOTE_EXTEND) : gone, data: 0, udata: nil)
      return kevent(descriptor, &change, 1, nil, 0, nil) >= 0
    }

    /// Reads and discards the available events, because their contents don't matter.
    ///
    /// - Returns: False if there were no events.
    @discardableResult
    func forget() -> Bool {
      var (event, now, count) = (kevent(), timespec(), 0)
      while kevent(descriptor, nil, 0, &event, 1, &now) > 0 { count += 1 }
      return count > 0
    }

    func close() {
      for each in [descriptor, file] where each >= 0 { _ = Darwin.close(each) }
    }
  #else
    private static let gone = UInt32(IN_ATTRIB) | UInt32(IN_MOVE_SELF) | UInt32(IN_DELETE_SELF)

    init?(_ place: LogLocation) {
      file = place.commits
      descriptor = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      guard observe(writes: true), inotify_add_watch(descriptor, place.file, Self.gone) >= 0 else {
        close()
        return nil
      }
    }

    /// Starts the observation, or changes the kinds of events.
    ///
    /// Events that the system has already reported stay available.
    ///
    /// - Parameter writes: True for events of all kinds, false for a moved or deleted file only.
    /// - Returns: False if the system provides no events.
    @discardableResult
    fileprivate func observe(writes: Bool) -> Bool {
      inotify_add_watch(descriptor, file, writes ? Self.gone | UInt32(IN_MODIFY) : Self.gone) >= 0
    }

    /// Reads and discards the available events, because their contents don't matter.
    ///
    /// - Returns: False if there were no events.
    @discardableResult
    func forget() -> Bool {
      withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { bytes in
        var count = 0
        while read(descriptor, bytes.baseAddress, bytes.count) > 0 { count += 1 }
        return count > 0
      }
    }

    func close() { closeDescriptor(descriptor) }
  #endif
}

#if !canImport(Darwin)
  /// Calls the C library's `close`, because a member of the same name hides that function.
  private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }
#endif

/// The writes of a store's own connection, which need not wake the store's observer of other processes.
///
/// The connection calls ``begin()`` when it has got the log's write lock, and ``end()`` before it releases the lock.
/// While a connection holds the lock, no other connection writes to the `-wal` file. So the system reports no writes
/// between the two calls, and no write of another process is missed.
///
/// A command per second woke the observer 50 times per second without this exclusion.
final class OwnWrites: Sendable {
  /// The observation from which own writes are excluded.
  private let observation = Mutex<FileEvents.Observation?>(nil)

  /// Excludes own writes from an observation, until ``include(in:)`` is called.
  func exclude(from new: FileEvents.Observation) { observation.withLock { $0 = new } }

  /// Ends the exclusion, so that this object no longer uses the observation after the call.
  func include(in old: FileEvents.Observation) {
    observation.withLock { if $0?.descriptor == old.descriptor { $0 = nil } }
  }

  /// Excludes the writes that follow.
  func begin() { observation.withLock { _ = $0?.observe(writes: false) } }

  /// Includes the writes that follow.
  func end() { observation.withLock { _ = $0?.observe(writes: true) } }
}
