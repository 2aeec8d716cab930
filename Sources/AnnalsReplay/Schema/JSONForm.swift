import Annals
import AnnalsLog

/// The form of the JSON object for a value: one list of members, which both writes and describes the object.
///
///     let lossForm = JSONForm<SalvageReport.Loss>([
///       "from": .of(\.positions?.lowerBound), "to": .of(\.positions?.upperBound), "reason": .of(\.reason),
///     ])
///
/// The library's writer of payloads writes the object. `Encodable` isn't used, because its encoder sorts members by
/// name, and because it can't describe a type without a value. In a debug build, `diff --each --json` of 21,000 events
/// in a list of 20,000 rows takes 1.1 to 1.3 times as long as with pasted strings, and `show` and `log` as long. The
/// export of a whole log doesn't use forms.
struct JSONForm<Root>: Sendable {
  /// A member, which is made of the value.
  struct Member: Sendable {
    fileprivate var isOptional = false
    fileprivate var alignment = Text.Alignment.left
    /// The columns of a table, if the elements of the member are its rows.
    fileprivate var columns: (@Sendable () -> [TableColumn])?
    fileprivate let schema: @Sendable () -> JSONSchema
    fileprivate let write: @Sendable (Root, String, inout PayloadObjectWriter) -> Void
  }

  /// The members by name, in the order in which they are written.
  let members: KeyValuePairs<String, Member>
  private var isWhole = false
  /// The name of the schema, if several objects have members of the form.
  private let name: String?
  private let sentence: String?
  /// The member that tells cases from each other, and the optional members that the case with a value always has.
  private let cases: (member: String, required: KeyValuePairs<String, [String]>)?
  /// Groups of optional members, of which an object has at least one group.
  private let groups: [[String]]

  init(
    _ members: KeyValuePairs<String, Member>, name: String? = nil, _ sentence: String? = nil,
    cases: (member: String, required: KeyValuePairs<String, [String]>)? = nil, oneOf groups: [[String]] = []
  ) {
    (self.members, self.name, self.sentence, self.cases) = (members, name, sentence, cases)
    self.groups = groups
  }

  func write(_ root: Root, to writer: inout PayloadWriter) {
    writer.writeObject { for (name, member) in members { member.write(root, name, &$0) } }
  }

  /// The columns of a table of such objects.
  ///
  /// An object is a row of the table unless one of its members contains the rows.
  var columns: [TableColumn] {
    rowMember?.value.columns?()
      ?? members.map { TableColumn($0.key, $0.value.alignment) }
  }

  /// Returns the rows of a table for an object that the form wrote.
  func rows(_ object: JSONValue) -> [JSONValue] {
    guard let rowMember else { return [object] }
    guard case .array(let rows)? = object[rowMember.key] else { return [] }
    return rows
  }

  private var rowMember: (key: String, value: Member)? {
    isWhole ? nil : members.first { $0.value.columns != nil }
  }

  /// The same form, with an object as a row of a table.
  var whole: JSONForm {
    var form = self
    form.isWhole = true
    return form
  }

  /// The schema of the object.
  var schema: JSONSchema {
    var schema = JSONSchema.object(
      members.map { ($0.key, $0.value.schema()) }, required: members.filter { !$0.value.isOptional }.map(\.key))
    if let cases {
      schema = schema.either(
        cases.required.map { .object([(cases.member, .just(.string($0)))], required: [cases.member] + $1) })
    }
    if !groups.isEmpty { schema = schema.either(groups.map { .object([], required: $0) }) }
    schema = schema.saying(sentence)
    return name.map { schema.shared(as: $0) } ?? schema
  }
}

extension JSONForm.Member {
  /// A member that an object always has, with a description for the schema.
  ///
  /// The member is null if the value is nil.
  static func of<Value: JSONOutput>(
    _ value: @escaping @Sendable (Root) -> Value, _ sentence: String? = nil
  ) -> JSONForm<Root>.Member {
    .init(alignment: Value.alignment, schema: { Value.schema.saying(sentence) }) { root, name, writer in
      writer.write(name) { value(root).write(to: &$0) }
    }
  }

  /// A member that is left out if the value is nil.
  static func some<Value: JSONOutput>(
    _ value: @escaping @Sendable (Root) -> Value?, _ sentence: String? = nil
  ) -> JSONForm<Root>.Member {
    .init(isOptional: true, alignment: Value.alignment, schema: { Value.schema.saying(sentence) }) {
      root, name, writer in
      if let value = value(root) { writer.write(name) { value.write(to: &$0) } }
    }
  }

  /// A member with an object.
  static func object<Value>(
    _ value: @escaping @Sendable (Root) -> Value, _ form: JSONForm<Value>
  ) -> JSONForm<Root>.Member {
    .init(schema: { form.schema }) { root, name, writer in writer.write(name) { form.write(value(root), to: &$0) } }
  }

  /// A member with an array of objects.
  static func array<Value>(
    _ values: @escaping @Sendable (Root) -> [Value], _ form: JSONForm<Value>
  ) -> JSONForm<Root>.Member {
    .init(schema: { .array(of: form.schema) }) { root, name, writer in
      writer.write(name) { $0.writeArray(of: values(root)) { form.write($0, to: &$1) } }
    }
  }

  /// A member with an array of objects, which are the rows of a table.
  static func rows<Value>(
    _ values: @escaping @Sendable (Root) -> [Value], _ form: JSONForm<Value>
  ) -> JSONForm<Root>.Member { array(values, form).rows(of: form) }

  /// The same member, whose objects are the rows of a table.
  func rows<Value>(of form: JSONForm<Value>) -> JSONForm<Root>.Member {
    var member = self
    member.columns = { form.columns }
    return member
  }

  /// A member that is always true.
  static var isTrue: JSONForm<Root>.Member { .init(schema: { .just(true) }) { $2.write($1, true) } }

  /// The same member with one of some strings.
  func among(_ texts: [String]) -> JSONForm<Root>.Member {
    .init(isOptional: isOptional, columns: columns, schema: { .text(in: texts) }, write: write)
  }
}
