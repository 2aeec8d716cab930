import Dispatch
import Foundation

/// Asks the main actor for a moment each millisecond, and notes for how many milliseconds it has to wait.
final class MainActorProbe: Sendable {
  private let isEnded = DispatchSemaphore(value: 0)
  private let task = FirstValue<[Double]>()

  func begin() {
    let (isEnded, task) = (isEnded, task)
    Thread.detachNewThread {
      var holds: [Double] = []
      let isServed = DispatchSemaphore(value: 0)
      // Between two questions a hold shorter than this is not seen, and a longer one by this much shorter.
      while isEnded.wait(timeout: .now() + .microseconds(500)) == .timedOut {
        let start = DispatchTime.now().uptimeNanoseconds
        DispatchQueue.main.async { isServed.signal() }
        isServed.wait()
        holds.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
      }
      task.set(holds)
    }
  }

  /// Ends asking, and returns all waits in milliseconds.
  func end() async -> [Double] {
    isEnded.signal()
    return await task.value
  }
}

/// A value that a thread gives and a task waits for.
private final class FirstValue<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func set(_ value: Value) { continuation.yield(value) }

  var value: Value {
    get async {
      for await value in stream { return value }
      preconditionFailure("the stream never ends")
    }
  }
}
