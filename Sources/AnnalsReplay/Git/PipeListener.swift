import Dispatch
import Foundation
import Synchronization

/// Reads a pipe to its end on a thread of its own, while another one is read.
///
/// A pipe holds some 64 KiB. A process that wrote more into one that is read later would wait for ever, and with it whoever reads
/// the other one first.
final class PipeListener: Sendable {
  /// Messages come last; a program that talks for gigabytes is not remembered whole.
  private static let kept = 1 << 14

  private let heard = Mutex(Data())
  private let end = DispatchGroup()

  init(_ pipe: Pipe) {
    let file = pipe.fileHandleForReading
    end.enter()
    Thread.detachNewThread { [self] in
      while let more = try? file.read(upToCount: 1 << 16), !more.isEmpty {
        heard.withLock { heard in
          heard.append(more)
          if heard.count > 2 * Self.kept { heard = Data(heard.suffix(Self.kept)) }
        }
      }
      end.leave()
    }
  }

  /// What was read last, once there is no more.
  func text() -> String {
    end.wait()
    return heard.withLock { String(decoding: $0.suffix(Self.kept), as: UTF8.self) }
  }
}
