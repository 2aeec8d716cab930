import Annals
import AnnalsLog

extension JSONValue {
  /// The value inside a personal field, null if it was erased; any other value as it is.
  var impersonal: JSONValue { personal.map { $0.value } ?? self }

  /// The subject and the value of a personal field; nil for any other value.
  var personal: (subject: String, value: JSONValue)? {
    guard case .object(let members) = self,
      case .string(let subject)? = members.first(where: { ExactString($0.name) == ExactString("$personal") })?.value
    else { return nil }
    return (subject, members.first { ExactString($0.name) == ExactString("value") }?.value ?? .null)
  }
}
