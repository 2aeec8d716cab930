public import Foundation

/// An error for a request or a message that doesn't fit a list.
///
/// `Docs/Errors.md` describes the remedy for each code.
public struct ListFeedError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// The reason for an error.
  ///
  /// Later versions of the library can add more reasons.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The reason's name.
    public let rawValue: String

    /// Creates a reason from its name.
    ///
    /// For the known reasons, use this type's constants.
    ///
    /// - Parameter rawValue: The reason's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The reason's name.
    public var description: String { rawValue }

    /// A reader was so slow that the feed has forgotten its next message, so the reader must reconnect.
    public static let forgotten = Code(rawValue: "forgotten")
    /// The string isn't the cursor of a page.
    public static let invalidCursor = Code(rawValue: "invalidCursor")
    /// The limit of a page is less than 1 or more than the maximum.
    public static let invalidLimit = Code(rawValue: "invalidLimit")
    /// The page, the changes or the cursor belong to another list, or to the list at another position.
    public static let otherList = Code(rawValue: "otherList")
  }

  /// The reason for the error.
  public let code: Code
  /// The message, which contains the requirement and the actual value.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }

  /// The message, which Foundation returns as the error's `localizedDescription`.
  public var errorDescription: String? { description }
}
