extension Problem {
  /// The problems of the shrinking challenge (github.com/jlink/shrinking-challenge), none left out.
  ///
  /// The published means are those of the challenge's reports, for Hypothesis 5.23 and elm-test 2.0.
  package static var challenge: [Problem] {
    [
      reverse, lengthList, boundFive, boundFiveLong, largeUnionList, calculator, binaryHeap, coupling, deletion,
      difference("zero", 0...0, leadsTo: "10|10", elm: 510), difference("small", 1...4, leadsTo: "10|6", elm: 244),
      difference("one", 1...1, leadsTo: "10|9", elm: 367), distinct, nestedLists,
    ]
  }
}
