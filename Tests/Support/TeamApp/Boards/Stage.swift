public import Annals

/// How far a card is.
public enum Stage: String, CaseIterable, Codable, OrderedValue {
  case toDo = "to do"
  case doing
  case review
  case done
}
