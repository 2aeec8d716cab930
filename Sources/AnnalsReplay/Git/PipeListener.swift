import AnnalsLog
import Dispatch
import Foundation
import Synchronization

/// Reads a pipe to its end on its own thread, while you read another pipe.
///
/// A pipe holds about 64 KiB. A process that writes more than that waits until you read the pipe. If you read its other
/// pipe first, both of you wait for ever.
final class PipeListener: Sendable {
  /// The messages at the end matter.
  ///
  /// So only the last part of a long output is kept in memory.
  private static let kept = 1 << 14

  private let heard = Mutex(Data())
  private let end = DispatchGroup()

  init(_ pipe: Pipe) {
    let file = pipe.fileHandleForReading
    end.enter()
    Thread.detachNewThread { [self] in
      while releasingObjects({ read(file) }) {}
      end.leave()
    }
  }

  /// Reads the next part of the output, and returns false at the end.
  private func read(_ file: FileHandle) -> Bool {
    guard let more = try? file.read(upToCount: 1 << 16), !more.isEmpty else { return false }
    heard.withLock { heard in
      heard.append(more)
      if heard.count > 2 * Self.kept { heard = Data(heard.suffix(Self.kept)) }
    }
    return true
  }

  /// The last part of the output, after its end.
  func text() -> String {
    end.wait()
    return heard.withLock { String(decoding: $0.suffix(Self.kept), as: UTF8.self) }
  }
}
