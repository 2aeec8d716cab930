import AnnalsLog

/// A codec that encodes a draft's commands as strings, and decodes them.
struct DraftCodec: Sendable {
  private let deciders: [ExactString: Branch.DraftDecider]

  /// - Parameter deciders: The deciders of the draft's commands, with different categories.
  init(_ deciders: [Branch.DraftDecider]) {
    self.deciders = Dictionary(deciders.map { (ExactString($0.category), $0) }) { first, _ in
      preconditionFailure(
        "two deciders of the draft have the category \(first.category); give them different categories")
    }
  }

  /// Returns the stored form of a command.
  ///
  /// - Parameters:
  ///   - kept: The commands of one call.
  ///   - number: The command's number.
  ///   - identified: The command's id, and the call for which the id was used.
  /// - Returns: The stored form, which decodes to the given commands.
  /// - Throws: ``Branch/DraftError``.
  func command(
    _ kept: [KeptCommand], number: Int, _ identified: IdentifiedCommand?
  ) throws -> KeptDraft.Command {
    let coder = PayloadCoder(isCanonical: true)
    var subjects: Set<String> = []
    func note(subjectsOf json: String) throws {
      for subject in try PersonalPayload.subjects(of: json) where !subject.isEmpty { subjects.insert(subject) }
    }
    var text = DraftText(id: identified?.id, use: identified?.use.call, digest: identified?.use.digest, calls: [])
    do {
      for one in kept {
        let call = try call(one, coder)
        if let json = call.command { try note(subjectsOf: json) }
        for event in call.events ?? [] { try event.payload.map { try note(subjectsOf: $0) } }
        text.calls.append(call)
      }
      return KeptDraft.Command(number: number, content: .text(try coder.encode(text)), subjects: subjects)
    } catch let error as Branch.DraftError {
      throw error
    } catch {
      throw Branch.DraftError(
        .unwritable,
        "the command \(kept.map { described($0.command) }.joined(separator: ", ")) cannot be kept in the draft: "
          + "\(described(error)). A draft stores its commands, so correct the encoding and decoding of the command"
      )
    }
  }

  private func call(_ kept: KeptCommand, _ coder: PayloadCoder) throws -> DraftText.Call {
    var call = DraftText.Call()
    switch kept.form {
    case .events(let entries):
      call.events = entries.map { DraftText.Entry($0) }
      return call
    case .question, .unreadable:
      throw Branch.DraftError(
        .unwritable,
        "\(described(kept.command)) cannot be kept in a draft. An undo depends on the positions and identities of the "
          + "draft's events, but the store keeps only the draft's commands. To undo a command of the draft, remove "
          + "the command with drop(_:)")
    case .stream(let stream, let expected, let after):
      call.stream = stream.text
      call.after = after == 0 ? nil : after
      call.expect(expected)
    case .boundary: break
    }
    let category = kept.decider?.category ?? ""
    guard let decider = deciders[ExactString(category)], let text = try decider.write(kept.command, coder) else {
      let names = deciders.keys.map(\.text).sorted().joined(separator: ", ")
      throw Branch.DraftError(
        .unknownDecider,
        "a command of \(category) cannot be kept in the draft, because the draft was opened with "
          + "\(deciders.isEmpty ? "no deciders" : "only the deciders \(names)"). Add \(category) to "
          + "draft(named:deciders:)")
    }
    call.decider = category
    call.command = text
    call.metadata = kept.metadata == [:] ? nil : kept.metadata.json
    let found = try decider.write(decider.read(text, call, coder).command, coder)
    guard found == text else {
      throw Branch.DraftError(
        .unwritable,
        "a command of \(category) cannot be kept in the draft: it is encoded as \(text), but decoded as "
          + "\(found ?? "no value"). Make the command's Codable decode the value that it encodes")
    }
    return call
  }

  /// Returns a command from its stored form.
  ///
  /// If the command can't be read, the result is a placeholder, which is refused wherever it is decided.
  func command(_ kept: KeptDraft.Command, of draft: String) -> Branch.Command {
    let label = "command \(kept.number) of the draft \(JSONValue.quoted(draft))"
    func refused(_ what: String, _ code: Branch.DraftError.Code, _ message: String) -> Branch.Command {
      let command = KeptCommand(unreadable: what, Branch.DraftError(code, message))
      return Branch.Command(number: kept.number, nil, [], nil, kept: [command])
    }
    switch kept.content {
    case .erased:
      return refused(
        "(erased)", .erased,
        "an erasure deleted the contents of \(label) together with the personal values in these contents; drop the "
          + "command or discard the draft")
    case .damaged(let why):
      return refused(
        "(damaged)", .damaged, "\(label) is damaged: \(why). Restore the log from a copy, or drop the command")
    case .text(let text):
      let coder = PayloadCoder()
      do {
        let read = try coder.decode(DraftText.self, from: text)
        let calls = read.calls.map { command($0, label, coder) }
        return Branch.Command(number: kept.number, nil, [], read.identified, kept: calls)
      } catch {
        return refused(
          text, .unreadable, "\(label) cannot be read: \(error). Open the draft with the program version that wrote it")
      }
    }
  }

  private func command(_ call: DraftText.Call, _ label: String, _ coder: PayloadCoder) -> KeptCommand {
    if let events = call.events {
      do {
        return KeptCommand(try events.map { try $0.entry })
      } catch {
        return KeptCommand(
          unreadable: "\(events.count) events",
          Branch.DraftError(
            .unreadable,
            "the events of \(label) cannot be read: \(described(error)). Open the draft with the program version that "
              + "wrote it, or drop the command"))
      }
    }
    let (category, text) = (call.decider ?? "", call.command ?? "")
    guard let decider = deciders[ExactString(category)] else {
      return KeptCommand(
        unreadable: text,
        Branch.DraftError(
          .unknownDecider,
          "\(label) is a command of \(category), but no decider with this category was passed when the draft was "
            + "opened. Add the decider to draft(named:deciders:)"))
    }
    do {
      return try decider.read(text, call, coder)
    } catch {
      return KeptCommand(
        unreadable: text,
        Branch.DraftError(
          .unreadable,
          "\(label) can no longer be read as a command of \(category): \(described(error)). Make the command's Codable "
            + "decode the stored text \(text), or drop the command"))
    }
  }
}
