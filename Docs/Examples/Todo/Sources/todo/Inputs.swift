import Dispatch
import Foundation

/// What comes to the program from outside, as one sequence: keys, sizes, and the end.
enum Input: Sendable {
  case bytes([UInt8])
  case resized
  case changed
  case ended
}

/// Reads keys on a thread, and signals by the system's queue.
@MainActor final class Inputs {
  let stream: AsyncStream<Input>
  let continuation: AsyncStream<Input>.Continuation
  private var signals: [any DispatchSourceSignal] = []

  init() {
    (stream, continuation) = AsyncStream.makeStream()
    let continuation = continuation
    for (number, input) in [
      (SIGWINCH, Input.resized), (SIGTERM, .ended), (SIGHUP, .ended), (SIGINT, .ended),
    ] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { @Sendable in continuation.yield(input) }
      source.resume()
      signals.append(source)
    }
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 1024)
      while true {
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        continuation.yield(.bytes(Array(buffer.prefix(count))))
      }
      continuation.yield(.ended)
    }
  }
}
