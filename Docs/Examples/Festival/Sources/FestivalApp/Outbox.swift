import Annals
import FestivalDomain
import Foundation

/// A file with one mail per line, for every slot that moves after the outbox was first opened.
///
/// Several processes can run the outbox. Only one of them writes at a time, and the others wait.
public struct Outbox: Sendable {
  private let follower: EventFollower<ProgrammeEvent>

  public init(of festival: Festival, file: URL) throws {
    let (store, mails) = (festival.store, MailFile(url: file))
    follower = try EventFollower("outbox", of: ProgrammeEvent.self, in: store, startingAt: .end) { recorded, context in
      guard case .slotMoved(_, let act, let place) = recorded.event, !context.isReplay else { return }
      let stages = try store.state(of: Programme.main).stages
      let stage = place.stage.map { stages[$0]?.name ?? "stage \($0)" } ?? "no stage yet"
      try mails.add("\(act) moves to \(stage), \(place.start.formatted(.iso8601))", key: recorded.id)
    }
  }

  /// Writes the mails that are due.
  public func deliver() async throws { try await follower.catchUp() }

  /// Writes mails until the task is cancelled.
  public func run() async throws { try await follower.run() }
}

/// A file of mails with keys.
///
/// If a process is killed after it has written a mail, the next process gets the same event. The key keeps the mail
/// from being written twice.
struct MailFile: Sendable {
  let url: URL

  /// Adds a mail, unless the file has a mail with its key.
  ///
  /// The file is replaced as a whole, so a crash leaves no half lines.
  func add(_ text: String, key: EventID) throws {
    let lines = FileManager.default.fileExists(atPath: url.path) ? try String(contentsOf: url, encoding: .utf8) : ""
    let key = "\t\(key.source)/\(key.id)\n"
    guard !lines.contains(key) else { return }
    try (lines + text + key).write(to: url, atomically: true, encoding: .utf8)
  }
}
