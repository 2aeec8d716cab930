/// The place of the values of an event's case, for one event at a time.
///
/// It contains a payload only while its event is decoded. Compiler-generated code does not keep a container of an
/// event for longer. Code that does finds a null in it, or a later event of the same case.
final class PayloadPlace {
  let caseName: String
  @exclusivity(unchecked) var payload: JSONTape?

  init(caseName: String) { self.caseName = caseName }

  /// The payload of the event that is being decoded, or a null between two events.
  var tape: JSONTape { payload ?? JSONTape.null() }
}
