import Annals
import AnnalsSamples
import Testing

@Suite struct ScenarioTests {
  @Test(arguments: Scenario.names) func `a scenario runs to its end, and only moves that were asked for go wrong`(
    _ name: String
  ) throws {
    let store = MemoryEventStore()
    let found = try Scenario(name, on: store, elsewhere: store)
    let scenario = try #require(found)
    #expect(scenario.name == name)
    #expect(scenario.screen.isRight)
    #expect(!scenario.steps.filter(\.isOnTour).isEmpty)
    for step in scenario.steps {
      try step.act()
      #expect(step.screen.isRight != step.title.contains("with reported moves"), "\(step.title)")
      let head = store.head()
      #expect(step.isDraft ? step.screen.position() > head : step.screen.position() == head)
    }
  }

  @Test func `there is no scenario of another name`() throws {
    let store = MemoryEventStore()
    let scenario = try Scenario("library", on: store, elsewhere: store)
    #expect(scenario == nil)
    #expect(store.head() == 0)
  }
}
