import Foundation
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The output of a process that ended before it listened.
struct Ended: Error {
  let text: String
}

/// A process of the service.
final class Instance: Sendable {
  let port: Int
  private let process: Process
  private let ended: AsyncStream<Int32>

  /// Starts the service and waits until it listens.
  init(_ environment: [String: String]) async throws {
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.executable("lendingd"), "lendingd is not built"))
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    process.environment = environment.merging(["PORT": "0", "PATH": path]) { $1 }
    let (errors, (ended, end)) = (Pipe(), AsyncStream.makeStream(of: Int32.self))
    process.standardError = errors
    process.terminationHandler = { process in
      end.yield(process.terminationStatus)
      end.finish()
    }
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    errors.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty {
        handle.readabilityHandler = nil
        line.finish()
      }
      line.yield(String(decoding: data, as: UTF8.self))
    }
    try process.run()
    var text = ""
    var port: Int?
    for await part in lines {
      text += part
      port = text.firstMatch(of: /listens on port (\d+)\s/).flatMap { Int($0.1) }
      if port != nil { break }
    }
    guard let port else { throw Ended(text: text) }
    self.port = port
    (self.process, self.ended) = (process, ended)
  }

  /// Returns the path of an executable that was built with the tests.
  private static func executable(_ name: String) -> String? {
    let places = [CommandLine.arguments[0], Bundle.main.bundlePath] + Bundle.allBundles.map(\.bundlePath)
    for place in places {
      var folder = URL(fileURLWithPath: place)
      for _ in 0..<5 {
        folder.deleteLastPathComponent()
        let found = folder.appending(path: name).path
        if FileManager.default.isExecutableFile(atPath: found) { return found }
      }
    }
    return nil
  }

  /// Sends a signal, and waits until the process has ended.
  ///
  /// - Returns: The process's exit status.
  @discardableResult
  func end(_ signal: Int32) async -> Int32? {
    kill(process.processIdentifier, signal)
    return await ended.first { _ in true }
  }
}

/// A response of the service.
struct Response {
  let status: Int
  let body: [String: Int]
  let text: String
}

/// Sends a request to an instance.
func send(_ method: String, _ target: String, to port: Int, key: String? = nil, body: String? = nil) async throws
  -> Response
{
  var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(target)")))
  request.httpMethod = method
  request.httpBody = body.map { Data($0.utf8) }
  if let key { request.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
  let (data, response) = try await URLSession.shared.data(for: request)
  return Response(
    status: (response as? HTTPURLResponse)?.statusCode ?? 0,
    body: (try? JSONDecoder().decode([String: Int].self, from: data)) ?? [:],
    text: String(decoding: data, as: UTF8.self))
}

/// A stream of server-sent events of an instance, as the text that arrives.
final class EventStream: NSObject, URLSessionDataDelegate {
  let text: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  init(after position: Int, at port: Int) throws {
    (text, continuation) = AsyncStream.makeStream()
    super.init()
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/changes")))
    request.setValue("\(position)", forHTTPHeaderField: "Last-Event-ID")
    URLSession(configuration: .default, delegate: self, delegateQueue: nil).dataTask(with: request).resume()
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    continuation.yield(String(decoding: data, as: UTF8.self))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    continuation.finish()
    session.finishTasksAndInvalidate()
  }
}
