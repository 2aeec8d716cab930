import AnnalsSQLite
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

extension Platform {
  /// Receives the signals that end a process, so that the process can close its files first.
  ///
  /// A second signal of a kind ends the process at once.
  struct EndSignal {
    private static let received = Atomic<Int32>(0)
    private static let endsReading = Atomic<Bool>(false)

    init() {
      // The parent may have blocked these signals, as Dispatch's threads do, and a process inherits that.
      var signals = sigset_t()
      sigemptyset(&signals)
      for number in [SIGINT, SIGTERM, SIGHUP] {
        sigaddset(&signals, number)
        // `nohup` wants the terminal's end to be no end of the process.
        if number == SIGHUP, unsafeBitCast(signal(number, SIG_IGN), to: Int.self) == 1 { continue }
        signal(number) { number in
          EndSignal.received.store(number, ordering: .relaxed)
          signal(number, SIG_DFL)
          guard EndSignal.endsReading.load(ordering: .relaxed) else { return }
          EndOfReading.ask()
          // What neither reads nor writes does not see that it is to end.
          alarm(1)
        }
      }
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Lets the signals end what this process reads of logs, so that it leaves no files beside them.
    static func endReading() {
      // A program that shows the output may have signals of its own by now.
      if endsReading.exchange(true, ordering: .relaxed) { return }
      signal(SIGALRM) { _ in _exit(128 + EndSignal.received.load(ordering: .relaxed)) }
      _ = EndSignal()
    }

    /// Notes a signal, and lets what is read of logs end; a signal's handler may call it.
    static func note(_ number: Int32) {
      received.store(number, ordering: .relaxed)
      EndOfReading.ask()
    }

    /// Forgets the signal, so that the program can report how far it came.
    ///
    /// - Returns: The status to end with, or nil if no signal was received.
    static func take() -> ReplayError.Status? {
      defer { received.store(0, ordering: .relaxed) }
      return status
    }

    /// The status to end with, after a signal asked the process to end.
    static var status: ReplayError.Status? {
      switch received.load(ordering: .relaxed) {
      case 0: nil
      case SIGINT: .interrupted
      case SIGHUP: .hungUp
      default: .terminated
      }
    }
  }
}

/// A signal asked the process to end.
struct Ended: Error {}
