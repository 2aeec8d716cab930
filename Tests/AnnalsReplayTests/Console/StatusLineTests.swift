import Testing

@testable import AnnalsReplay

@Suite struct StatusLineTests {
  @Test func `a line that is shown is taken away once, and one that is not shown leaves the terminal alone`() {
    var said: [String] = []
    let line = StatusLine { said.append($0) }
    line.clear()
    #expect(said == [])
    line.show("half")
    line.show("done")
    line.clear()
    line.clear()
    #expect(said == ["\r\u{1B}[Khalf", "\r\u{1B}[Kdone", "\r\u{1B}[K"])
    line.isMuted = true
    line.show("more")
    line.clear()
    #expect(said.count == 3)
  }
}
