import Annals
import AnnalsTesting

/// The commands that an author draws from the laboratory's state.
func specimens(_ laboratory: Laboratory) -> Generator<SpecimenCommand> {
  let tubes = Generator.element(of: ["t1", "t2", "t3"])
  let known = Generator.element(of: laboratory.tubes.keys.sorted())
  return .oneOf(
    zip(tubes, .int(in: 1...20)).map { .receive(tube: $0, volume: $1) },
    zip(known, tubes, .int(in: 1...20)).map { .divide(tube: $0, into: $1, volume: $2) },
    zip(known, .int(in: 1...9)).map { .top(tube: $0, by: $1) },
    zip(known, .int(in: 1...3)).map { .rack(tube: $0, rack: $1) },
    known.map { .unrack(tube: $0) },
    zip(known, .int(in: 0...99)).map { .measure(tube: $0, value: $1) },
    known.map { .release(tube: $0) },
    known.map { .discard(tube: $0) })
}

/// The first commands of every history, so that tube t1 can be released.
let measuredTube: [SpecimenCommand] = [
  .receive(tube: "t1", volume: 20), .measure(tube: "t1", value: 5), .measure(tube: "t1", value: 6),
]

/// The checks of the laboratory.
let laboratoryChecks: [PlannedCheck] = [
  PlannedCheck("machine") { settings, _ in try check(LaboratoryMachine(), settings: settings) },
  PlannedCheck("property") { settings, _ in
    try check(.array(of: .int(in: 0...99)), settings: settings) { values in
      // Half of the values are at most the median, and half are at least the median.
      let median = Specimen(id: "t1", volume: 1, values: values).median ?? 0
      try ensure(values.filter { $0 < median }.count <= values.count / 2)
      try ensure(values.filter { $0 > median }.count <= values.count / 2)
      let mirrored = Specimen(id: "t1", volume: 1, values: values.map { -$0 }).median ?? 0
      try ensure(abs(median + mirrored) <= 1, "the median of the negative values")
    }
    try check(.int(in: 0...100_000), settings: settings) { hundredths in
      let digits = hundredths % 100
      let text = "\(hundredths / 100).\(digits < 10 ? "0" : "")\(digits)"
      try ensureEqual(Volume.tenths(text), hundredths / 10 + (hundredths.isMultiple(of: 10) ? 0 : 1))
    }
  },
  PlannedCheck("checkDelivery") { settings, _ in
    var settings = settings
    settings.examples = 50
    try await checkDelivery(of: Laboratory.histories(after: measuredTube, specimens), settings: settings) {
      ()
    } follower: { store, _ in
      try EventFollower("invoices", of: SpecimenEvent.self, in: store, startingAt: .beginning) { recorded, _ in
        guard case .released(let tube) = recorded.event else { return }
        let invoice = [InvoiceEvent.sent(tube: tube)]
        if bug(40) {
          try store.append(invoice, to: "invoices")
        } else {
          try store.append(invoice, to: "invoices", commandID: "invoice \(recorded.id)")
        }
      }
    } answer: { store, _ in
      try store.events(of: InvoiceEvent.self).map(\.event)
    }
  },
  PlannedCheck("checkAllLaws") { settings, launch in
    try Laboratory.checkAllLaws(
      after: measuredTube, lists: [.init(Specimens(), in: .work)], purity: launch, settings: settings, specimens)
  },
]
