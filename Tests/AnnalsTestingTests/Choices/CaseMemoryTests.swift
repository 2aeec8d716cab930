import Foundation
import Testing

@testable import AnnalsTesting

/// The memory of a case, which another process reads after the case has ended its process.
@Suite struct CaseMemoryTests {
  @Test func `another opener reads the choices and spans of a case, but not the unused memory`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "case-\(UUID().uuidString)").path
    let memory = try #require(CaseMemory(path, limit: 300, isShared: true))
    defer { memory.remove() }
    #expect(memory.isNew && memory.record == nil)
    let choices = [Choice(index: 7, bound: 9, isForced: false), Choice(index: 0, bound: 3, isForced: true)]
    // The case ends the process in its second span, which is still open.
    var spans = [Span(label: .element, start: 0, parent: -1), Span(label: .step, start: 1, parent: 0)]
    (spans[0].end, spans[0].isDiscarded) = (1, true)
    for (number, choice) in choices.enumerated() { memory.choices[number] = choice }
    for (number, span) in spans.enumerated() { memory.spans[number] = span }

    let other = try #require(CaseMemory(path, limit: 300, isShared: true))
    let record = try #require(other.record)
    #expect(!other.isNew && record.choices == choices)
    spans[1].end = 2
    #expect(record.spans == spans)

    memory.begin(after: 2, 2)
    #expect(other.record == nil)
  }
}
