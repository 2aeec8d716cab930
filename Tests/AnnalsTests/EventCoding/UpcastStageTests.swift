import Annals
import AnnalsLog
import Testing

@Suite struct UpcastStageTests {
  @Test func `stages are in the order of their names and then of their schemas, and none is before itself`() {
    let stages = [UpcastStage("A", 1), UpcastStage("A", 2), UpcastStage("B", 1)]
    for (index, stage) in stages.enumerated() {
      for (other, another) in stages.enumerated() { #expect((stage < another) == (index < other)) }
    }
  }
}
