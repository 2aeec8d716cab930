/// What tells something from every other of its kind, such as a filter: a closure has no identity.
final class Identity: Sendable {}
