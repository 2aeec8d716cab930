import Annals
import AnnalsSQLite

extension Subcommand {
  static let export = Subcommand(
    name: "export", operands: ["LOG"],
    summary: "Print all events as CloudEvents, one a line.",
    details: ["What is printed can be imported; an import of it gives an equal export."],
    examples: ["annals export shop.annals > shop.jsonl"],
    run: { try $0.runExport() })
}

extension Session {
  fileprivate func runExport() throws -> ReplayError.Status {
    let store = try openLog()
    let end = try store.head()
    var labels = TransactionLabels()
    let progress = Progress(console)
    defer { progress.end() }
    try forEachEvent(of: store, through: end) { event in
      try printJSON(CloudEvent.line(event, transaction: labels.label(of: event)))
      if !console.outputIsTerminal { progress.say("\(event.position) of \(end)") }
    }
    return .done
  }
}
