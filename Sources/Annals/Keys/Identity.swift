/// An identity for values without one, such as filters, because closures cannot be compared.
final class Identity: Sendable {}
