/// A sum of integer multiples of powers of a base, exact and independent of the order of its values.
///
/// Every power of the base (a place) has a separate number (a limb). Carries are propagated only when the sum is read,
/// so subtracting a value completely undoes its addition. A limb can hold the sum of 2^31 values, more than fit into
/// memory.
struct LimbSum: Sendable {
  /// The place of the first limb.
  private(set) var first = 0
  /// The limbs, starting with the limb at the place `first`.
  private(set) var limbs: [Int64] = []

  /// Adds a number to the limb at a place.
  ///
  /// - Parameters:
  ///   - value: The number.
  ///   - place: The place, 0 or more.
  mutating func add(_ value: Int64, at place: Int) {
    if value == 0 { return }
    if limbs.isEmpty {
      first = place
      limbs = [value]
      return
    }
    if place < first {
      limbs.insert(contentsOf: repeatElement(0, count: first - place), at: 0)
      first = place
    } else if place >= first + limbs.count {
      limbs += repeatElement(0, count: place - first - limbs.count + 1)
    }
    limbs[place - first] &+= value
  }

  /// Returns the sum as digits of a base, beginning with the least significant digit, at the place `first`.
  ///
  /// - Parameter base: The base that was used to split the values.
  /// - Returns: The digits without zeros at the end, and true if the sum is negative.
  func digits(base: Int64) -> (digits: [Int64], isNegative: Bool) {
    func carried(_ sign: Int64) -> (digits: [Int64], carry: Int64) {
      var (digits, carry): ([Int64], Int64) = ([], 0)
      for limb in limbs {
        // The value can't overflow, because a limb and the carry are far from the limits of their type.
        let value = limb &* sign &+ carry
        let digit = ((value % base) + base) % base
        digits.append(digit)
        carry = (value &- digit) / base
      }
      return (digits, carry)
    }
    var (digits, carry) = carried(1)
    let isNegative = carry < 0
    if isNegative { (digits, carry) = carried(-1) }
    while carry > 0 {
      digits.append(carry % base)
      carry /= base
    }
    while digits.last == 0 { digits.removeLast() }
    return (digits, isNegative)
  }
}
