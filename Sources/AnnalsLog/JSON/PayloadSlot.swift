/// The place from which the values of an event's case are read, for one event at a time.
///
/// The place contains a payload only while its event is decoded. Compiler-generated code does not keep an event's
/// container longer than that. Other code that keeps the container reads a null from it, or a later event of the same
/// case.
final class PayloadSlot {
  let caseName: String
  @exclusivity(unchecked) var payload: JSONTape?

  init(caseName: String) { self.caseName = caseName }

  /// The payload of the event that is being decoded, or a null between two events.
  var tape: JSONTape { payload ?? JSONTape.null() }
}
