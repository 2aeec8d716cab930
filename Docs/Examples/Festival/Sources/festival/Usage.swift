/// The error for words that the program doesn't know.
struct Usage: Error {
  static let text = """
    usage: festival LOG USER COMMAND
      open STAGE NAME NUMBER          rename STAGE NAME           close STAGE
      book SLOT ACT PLACE FEE         move SLOT PLACE             cancel SLOT
      enlist ID NAME                  dismiss ID                  forget ID
      assign ID SLOT                  release ID SLOT
      list [SEARCH]                   at TIME                     today
      volunteers                      unseen                      seen
      undo                            redo
      try SLOT PLACE [+ SLOT PLACE]...   shows the programme after moves, and moves the slots if all moves are possible
      import FILE SHOP                imports lines such as 7,Day,49.90,Ann,2026-03-01T08:00:00Z
      outbox FILE                     writes mails to the file until the program is stopped
    A PLACE is STAGE START END, for example 1 2026-08-07T18:00:00Z 2026-08-07T19:00:00Z. The STAGE can be -.
    """
}
