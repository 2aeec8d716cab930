#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Writes to a pipe that may have lost its reader, which ends a process unless it takes care.
enum BrokenPipe {
  /// Runs a body that writes; a signal for a broken pipe is not delivered.
  ///
  /// - Parameters:
  ///   - file: The pipe's end for writing.
  ///   - write: Writes, and gets an error if there is no reader.
  /// - Returns: What the body returned.
  static func ignored<T>(on file: Int32, _ write: () -> T) -> T {
    #if canImport(Darwin)
      _ = fcntl(file, F_SETNOSIGPIPE, 1)
      return write()
    #elseif canImport(Glibc) || canImport(Musl)
      // The signal goes to the thread that writes. It is blocked there, and taken away before it is let in again.
      var (pipe, before) = (sigset_t(), sigset_t())
      sigemptyset(&pipe)
      sigaddset(&pipe, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &pipe, &before)
      defer {
        var none = timespec(tv_sec: 0, tv_nsec: 0)
        while sigtimedwait(&pipe, nil, &none) == SIGPIPE {}
        pthread_sigmask(SIG_SETMASK, &before, nil)
      }
      return write()
    #else
      return write()
    #endif
  }
}
