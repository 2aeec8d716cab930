/// Where the values of an event's case are found, of one event after the other.
///
/// A payload is here only while its event is decoded. Who keeps a container of an event beyond that (code that the
/// compiler writes does not) finds a null in it, or a later event of the same case.
final class PayloadPlace {
  let caseName: String
  @exclusivity(unchecked) var payload: JSONTape?

  init(caseName: String) { self.caseName = caseName }

  /// The payload of the event that is being decoded; a null between two of them.
  var tape: JSONTape { payload ?? JSONTape.null() }
}
