import AnnalsTesting
import Testing

@Suite struct SplitMix64Tests {
  @Test func `the numbers of a seed are those that the algorithm is known for`() {
    var generator = SplitMix64(seed: 1_234_567)
    let numbers = (0..<5).map { _ in generator.next() }
    #expect(
      numbers == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
      ])
  }

  @Test func `a generator that was split off has other numbers, and the same in every run`() {
    var first = SplitMix64(seed: 1)
    var again = SplitMix64(seed: 1)
    var (part, partAgain) = (first.split(), again.split())
    let numbers = (0..<100).map { _ in part.next() }
    #expect(numbers == (0..<100).map { _ in partAgain.next() })
    #expect(Set(numbers).isDisjoint(with: (0..<100).map { _ in first.next() }))
    var second = first.split()
    #expect(Set(numbers).isDisjoint(with: (0..<100).map { _ in second.next() }))
  }
}
