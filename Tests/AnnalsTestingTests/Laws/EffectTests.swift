import Annals
import AnnalsTesting
import Testing

private enum CopyEvent: Event, Equatable {
  case added(String)
  case repriced(id: String, to: Int)
  case named(shelf: String, to: String)
  case reviewed(String)
  case filled(by: String)
}

private struct Maker: Row {
  let id: String
}

private struct Copy: Row {
  let id: String
  var price = 0
  var shelf = "s"
  var maker = "m"
}

private struct Copies: Projection {
  static var relations: [Relation<Copy>] { [.to(Maker.self, by: \.maker) { _, _ in }] }

  func project(_ event: CopyEvent, into rows: inout Rows<Copy>) {
    switch event {
    case .added(let id): rows.insert(Copy(id: id))
    case .repriced(let id, let price): rows[id]?.price = price
    case .named(let shelf, let title): rows.renameSection(shelf, of: \.shelf, to: title)
    case .reviewed: break
    case .filled(let maker): rows.relate(Maker(id: maker))
    }
  }
}

private struct TolerantCopies: Projection {
  static var toleratedEvents: Set<String> { ["CopyRepriced", "CopyReviewed"] }

  func project(_ event: CopyEvent, into rows: inout Rows<Copy>) { Copies().apply(event, &rows) }
}

extension Copies {
  fileprivate func apply(_ event: CopyEvent, _ rows: inout Rows<Copy>) { project(event, into: &rows) }
}

/// Events that change nothing in a projection.
@Suite struct EffectTests {
  private func report<P: Projection>(
    _ projection: P, _ history: [CopyEvent], _ law: (P, [CopyEvent]) throws -> Void
  ) throws -> CheckReport where P.Event == CopyEvent {
    let settings = CheckSettings(examples: 10, seed: 1, environment: .patient)
    return try check(.bool, settings: settings) { _ in try law(projection, history) }
  }

  @Test func `the laws count events that change no row, once in every case`() throws {
    let history: [CopyEvent] = [
      .added("a"), .repriced(id: "a", to: 1), .repriced(id: "a", to: 1), .repriced(id: "b", to: 1), .reviewed("a"),
    ]
    for law in [
      { try $0.ensureAllLaws($1) }, { try $0.ensureReplaysEqually($1) }, { try $0.ensureSnapshotsHold($1) },
    ] as [(Copies, [CopyEvent]) throws -> Void] {
      let report = try report(Copies(), history, law)
      #expect(
        report.ineffective == ["30 of 50 events changed no row and no section of Copies: repriced 20, reviewed 10"])
      #expect(report.description.contains("\n\(report.ineffective[0])\n"))
      #expect(
        report.unreached.contains(
          "an effect of the event reviewed on Copies (10 of 10 changed no row and no section)"))
      #expect(!report.unreached.contains { $0.contains("event repriced") })
    }
  }

  @Test func `titles of sections and entities without rows are effects`() throws {
    let report = try report(Copies(), [.named(shelf: "s", to: "Sagas"), .filled(by: "m")]) {
      try $0.ensureReplaysEqually($1)
    }
    #expect(report.ineffective == [])
    let again = try self.report(
      Copies(), [.named(shelf: "s", to: "Sagas"), .filled(by: "m"), .named(shelf: "s", to: "Sagas"), .filled(by: "m")]
    ) { try $0.ensureReplaysEqually($1) }
    #expect(again.ineffective == ["20 of 40 events changed no row and no section of Copies: filled 10, named 10"])
  }

  @Test func `events that the projection tolerates aren't counted`() throws {
    let history: [CopyEvent] = [.added("a"), .repriced(id: "b", to: 1), .reviewed("a"), .added("a")]
    let report = try report(TolerantCopies(), history) { try $0.ensureAllLaws($1) }
    #expect(report.ineffective == ["10 of 20 events changed no row and no section of TolerantCopies: added 10"])
    #expect(!report.unreached.contains { $0.hasPrefix("an effect") })
  }
}
