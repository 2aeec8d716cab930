import Annals
import AnnalsSQLite
import Foundation

extension Subcommand {
  static let erase = Subcommand(
    name: "erase", operands: ["LOG", "SUBJECT"],
    summary: "Delete what the events say of somebody; the events stay.",
    details: [
      "It deletes the values of all personal fields of the subject, and lists that were",
      "saved, and writes the log anew, so that none of their bytes is left in its files.",
      "Copies and exports that were made before have them still. Exit status: 1 if a",
      "reader keeps bytes in the files; end it, and erase the subject again.",
    ],
    examples: ["annals erase shop.annals customer-7", "annals erase shop.annals customer-7 --json"],
    run: { try $0.runErase() })
}

extension Session {
  fileprivate func runErase() throws -> ReplayError.Status {
    let subject = arguments.operands[1]
    if subject.isEmpty { throw ReplayError.usage("SUBJECT: expected whom to forget, found \"\"") }
    let receipt = try SQLiteEventStore(path: existingLog()).erase(subject: subject)
    if isJSON {
      try print("{\"fields\":\(receipt.fields),\"complete\":\(receipt.isComplete)}")
    } else {
      say("\(Text.counted(receipt.fields, "value")) of \(Text.safe(subject)) erased")
    }
    if let remnants = receipt.remnants { throw ReplayError(.negative, remnants) }
    return .done
  }
}
