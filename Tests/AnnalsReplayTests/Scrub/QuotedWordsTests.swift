import AnnalsTesting
import Testing

@testable import AnnalsReplay

@Suite struct QuotedWordsTests {
  @Test func `Words are cut at spaces, and quotes keep what has some`() {
    #expect(QuotedWords.split(#"6  author:"Ann Lee" type:B* "#) == ["6", "author:Ann Lee", "type:B*"])
    #expect(QuotedWords.split("") == [])
    #expect(QuotedWords.split(#""""#) == [""])
    #expect(QuotedWords.split(#"a"b c"#) == ["ab c"])
    #expect(QuotedWords.split(#""say \"hi\" \\ \n""#) == [#"say "hi" \ \n"#])
    // Outside of quotes a backslash is itself, as regular expressions need it.
    #expect(QuotedWords.split(#"grep:\d+"#) == [#"grep:\d+"#])
  }

  @Test func `What is joined splits into the same words`() {
    var random = SplitMix64(seed: 3)
    for _ in 0..<2_000 {
      let words = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        String((0..<Int.random(in: 0...5, using: &random)).map { _ in "a \"\\:é".randomElement(using: &random) ?? "b" })
      }
      #expect(QuotedWords.split(QuotedWords.join(words)) == words)
    }
  }
}
