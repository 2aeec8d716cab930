import AnnalsTesting
import benchmarks
import Testing

@Suite struct StressTests {
  @Test func `a strict table takes every batch of random histories`() throws {
    let run = StressRun()
    try run.run(batches: 1_000, seed: 5)
    #expect(run.batches >= 1_000 && run.events > run.batches && run.changes > run.batches)
  }

  @Test func `the delegates of the five tutorials stay in step with the truth over the same batches`() throws {
    let run = StressRun()
    try run.run(batches: 1_000, seed: 6)
    // A seek is two batches for a screen, there and back. The checks of composition give it no batch.
    #expect(run.screenBatches > run.batches * 3)
  }

  @Test func `a strict table takes every way from one small list to another`() throws {
    var run = ExhaustiveRun(rows: 2, sections: 3)
    try run.run()
    // The empty list, 2 × 3 lists of one row, 12 of two: all pairs of 19 lists, with two kinds of keys.
    #expect(run.pairs == 2 * 19 * 19)
  }

  @Test func `one seed does the same twice`() throws {
    let counts = try (0..<2).map { _ in
      let run = StressRun()
      try run.run(batches: 100, seed: 9)
      return [run.batches, run.screenBatches, run.events, run.changes]
    }
    #expect(counts[0] == counts[1])
  }

  @Test func `what is typed wrongly is said`() throws {
    #expect(try StressOptions(["--batches", "7", "--seed", "3"]).batches == 7)
    #expect(try StressOptions(["--lists-only"]).isListsOnly)
    for words in [["--batches", "0"], ["--batches"], ["--seed", "-1"], ["--sed", "1"]] {
      #expect(throws: (any Error).self) { try StressOptions(words) }
    }
  }
}
