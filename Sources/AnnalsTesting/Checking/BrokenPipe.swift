#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A function for writing to a pipe whose reader might have exited.
///
/// Without this function, such a write terminates the process.
enum BrokenPipe {
  /// Runs a function that writes, without delivering the signal for a broken pipe.
  ///
  /// - Parameters:
  ///   - file: The write end of the pipe.
  ///   - write: The function that writes. Without a reader, the write fails with an error.
  /// - Returns: The function's result.
  static func ignored<T>(on file: Int32, _ write: () -> T) -> T {
    #if canImport(Darwin)
      _ = fcntl(file, F_SETNOSIGPIPE, 1)
      return write()
    #elseif canImport(Glibc) || canImport(Musl)
      // The signal is sent to the writing thread. It is blocked there, and consumed before it is unblocked.
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
