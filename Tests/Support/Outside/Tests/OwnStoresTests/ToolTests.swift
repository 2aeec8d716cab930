import AnnalsLog
import AnnalsReplay
import Foundation
import OwnStores
import Testing

/// The command-line tool on stores by another author.
@Suite struct ToolTests {
  private static func append(_ count: Int) -> Append {
    Append((1...count).map { NewEvent(type: $0 == 1 ? "BookAdded" : "BookSold", payload: nil) }, to: "shop")
  }

  @Test func `the tool prints the statistics of a remote store without reading its events`() async throws {
    let store = OwnRemote()
    for _ in 0..<5 { try await store.append(Self.append(1_000)) }
    let tool = ReplayTool.annals(with: ReplayRemote(schemes: ["own"]) { _ in store })
    let info = await answer(tool, "info", "own://shop", "--json")
    #expect(info.status == 0, "\(info.messages)")
    #expect(info.output.contains(#""events":5000"#) && info.output.contains(#""transactions":5"#))
    #expect(info.output.contains(#"{"name":"BookSold","events":4995,"payloadBytes":0}"#))
    let unknown = await answer(tool, "log", "own://shop", "type:BookSod")
    #expect(unknown.status == 2 && unknown.messages.contains("BookSold"), "\(unknown.messages)")
    // The tool reads the last 1,000 events for the names of authors and fields, and two events with their times.
    #expect(store.sentEvents <= 1_010)
  }

  @Test func `the tool prints the statistics of a local store`() async throws {
    let store = OwnStore()
    try await store.append(Self.append(100))
    let tool = ReplayTool(ReplayRecords(), ReplayStore { _, _ in store })
    let info = await answer(tool, "info", "shop")
    #expect(info.output.contains("BookSold 99, BookAdded 1"), "\(info.output) \(info.messages)")
  }

  /// Runs the tool on a separate thread, because it waits for the store.
  private func answer(_ tool: ReplayTool, _ words: String...) async -> ReplayAnswer {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: tool.answer(to: words)) }
    }
  }
}
