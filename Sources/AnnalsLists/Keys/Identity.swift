/// A unique identity for a value that can't be compared, such as a filter with a closure.
package final class Identity: Sendable {}
