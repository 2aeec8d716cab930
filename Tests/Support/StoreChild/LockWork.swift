import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#endif

/// Looks at the locks that other processes have on a log's files.
enum LockWork {
  /// Prints the write locks of other processes that it sees, each once, and then "done".
  ///
  /// SQLite's locks are bytes of two files: the log's lock from 1073741824, and in the `-shm` file 120 (writer), 121
  /// (checkpoint) and 122 (recovery). See sqlite.org/walformat.html, section 2.3.
  static func look(_ path: String, times: Int) throws {
    let places = [(path, 0x4000_0000, 512), (path + "-shm", 120, 3)]
    let files = try places.map { path, start, length in
      let file = open(path, O_RDONLY | O_CLOEXEC)
      if file < 0 { throw StoreChild.Problem("\(path): cannot be opened: error \(errno)") }
      return (path, file, start, length)
    }
    StoreChild.say("open")
    var seen: Set<String> = []
    for _ in 0..<times {
      for (path, file, start, length) in files {
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(F_RDLCK), Int16(SEEK_SET))
        (lock.l_start, lock.l_len) = (off_t(start), off_t(length))
        // The call returns the first lock that would refuse a lock for reading, which is a lock for writing.
        if fcntl(file, F_GETLK, &lock) < 0 { throw StoreChild.Problem("\(path): F_GETLK failed: error \(errno)") }
        if lock.l_type != Int16(F_UNLCK) { seen.insert("lock \(path.suffix(4)) \(lock.l_start)") }
      }
    }
    for each in seen.sorted() { StoreChild.say(each) }
    StoreChild.say("done")
  }
}

extension LockWork {
  /// Takes the write lock of a log as SQLite does, prints "held", and keeps the lock until the process is killed.
  static func hold(_ path: String) throws {
    let file = open(path + "-shm", O_RDWR | O_CLOEXEC)
    var lock = flock()
    (lock.l_type, lock.l_whence, lock.l_start, lock.l_len) = (Int16(F_WRLCK), Int16(SEEK_SET), 120, 1)
    if file < 0 || fcntl(file, F_SETLK, &lock) < 0 { throw StoreChild.Problem("\(path): no lock: error \(errno)") }
    StoreChild.say("held")
    while true { pause() }
  }
}
