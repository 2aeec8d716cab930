import Annals
import AnnalsSQLite
import Foundation
import Observation

/// The file of a to-do list, which an app opens when it starts.
@MainActor @Observable public final class TodoFile {
  /// The list, or `nil` if the file couldn't be opened.
  public private(set) var model: TodoModel?
  /// The reason why the file couldn't be opened, or `nil`.
  public private(set) var message: String?
  private let path: String?
  private let user: String
  private var store: SQLiteEventStore?

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The file's path. The default is a file in the folder for an app's own data.
  ///   - user: The user who can undo the commands.
  public init(path: String? = nil, user: String = "me") {
    self.path = path
    self.user = user
    open()
  }

  /// Opens the file if it isn't open, for example because the device was locked.
  public func open() {
    guard model == nil else { return }
    do {
      let store = try SQLiteEventStore(path: path ?? Self.defaultPath())
      (self.store, model, message) = (store, TodoModel(store: store, user: user), nil)
    } catch {
      message = "\(error)"
    }
  }

  /// Gives up the file's locks, because iOS terminates an app that is suspended while it holds a lock.
  public func suspend() { store?.suspend() }

  /// Uses the file as before ``suspend()``.
  public func resume() {
    store?.resume()
    open()
  }

  private static func defaultPath() throws -> String {
    let support = try FileManager.default.url(
      for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
    let folder = support.appending(path: "Todo")
    // With this protection, an app can write the file while the device is locked.
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true,
      attributes: [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication])
    return folder.appending(path: "todo.annals").path
  }
}
