import AnnalsLog

extension SQLiteEventStore {
  /// Releases the log's write lock, and takes no write lock until ``resume()`` is called.
  ///
  /// The system can suspend an app in the background at any moment. If the app then holds a lock on a file in an app
  /// group, iOS terminates the app (exception code 0xDEAD10CC), because the app's extensions can't get the lock. So
  /// call this method before the app is suspended, for example in `applicationDidEnterBackground(_:)` or when
  /// `scenePhase` becomes `.background`. Call ``resume()`` when the app becomes active.
  ///
  /// If a write is in progress, the call waits until the write is committed and acknowledged. The call doesn't wait for
  /// other processes' locks. A write that is waiting for such a lock throws `EventStoreError` (`.suspended`).
  ///
  /// While the store is suspended:
  /// - Appends, commands, erasures and compactions throw `EventStoreError` (`.suspended`) and have no effect. The same
  ///   applies to calls that save a list, a snapshot or a draft. Retry all these calls after ``resume()``.
  /// - A running `EventFollower` waits, and other processes can run it. If the follower's code was handling an event,
  ///   the follower saves the event's position after ``resume()``.
  /// - Reads and existing lists work, because a read takes no write lock.
  /// - The store doesn't check for other processes' commits, and stops the timer for these checks. Controllers and
  ///   followers are notified of these commits after ``resume()``.
  /// - The `-wal` file is not copied into the log's own file.
  ///
  /// SQLite also has a shared lock, which prevents another process from deleting the files next to the log. This lock
  /// remains until the store is closed.
  ///
  /// The call doesn't wait for a running ``backUp(to:progress:)``, because a backup writes only to another file.
  ///
  /// If your process has several stores, suspend each of them.
  ///
  /// - Returns: False if the store was already suspended, so that the call had no effect.
  @discardableResult
  public func suspend() -> Bool {
    let isNew = !suspension.set(true)
    locks.release()
    writer?.finishWrites()
    others?.suspend()
    return isNew
  }

  /// Accepts writes after ``suspend()``, and notifies controllers and followers of commits during the suspension.
  ///
  /// - Returns: False if the store was not suspended, so that the call had no effect.
  @discardableResult
  public func resume() -> Bool {
    guard suspension.set(false) else { return false }
    others?.resume()
    writer?.checkpointIfDue()
    runtime.announceOthers()
    return true
  }
}
