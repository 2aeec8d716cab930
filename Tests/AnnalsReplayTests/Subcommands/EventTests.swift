import Testing

/// `annals event`, `commands` and `info`, on a log whose answers are known.
@Suite struct EventTests {
  private let shop: ShopTool

  init() throws { shop = try ShopTool() }

  private func pinned(_ words: String...) -> ShopTool.Pin { shop.pin(words) }

  @Test func `event prints all of an event, and what it changed`() {
    pinned("log", "LOG", "1").is(
      0,
      #"""
      1  RecordInserted

        time        2026-03-01T10:01:00Z
        stream      book 1
        id          e1
        source      shop
        transaction 1, of the events 1 to 2
        command     open-shop
        actor       ann
        causation   open-shop
        correlation open-shop

        {
          "collection": "book",
          "fields": {
            "price": 50,
            "shelf": "odd",
            "title": "Annals"
          },
          "id": "b1"
        }

        before      it began the stream
        after       2  2026-03-01T10:02:00Z  RecordInserted

        it changed in book
          + b1  title: Annals, price: 50, shelf: odd
      """#)
    pinned("log", "LOG", "4").is(
      0,
      #"""
      4  RecordUpdated

        time        2026-03-01T10:04:00Z
        stream      book 4
        id          e4
        source      shop
        transaction 3, of this event alone
        command     reprice-b3
        actor       ann
        causation   reprice-b3
        correlation reprice-b3
        reason      sale

        {
          "collection": "book",
          "fields": {
            "price": 40
          },
          "id": "b3"
        }

        before      3  2026-03-01T10:03:00Z  RecordInserted
        after       5  2026-03-01T10:05:00Z  RecordUpdated

        it changed in book
          ~ b3  War and Peace  price: 40 (was 60)
      """#)
    pinned("log", "LOG", "6").is(
      0,
      #"""
      6  Noted  schema 2

        time        2026-03-01T10:06:00Z
        stream      notes 1
        id          e6
        source      shop
        transaction 4, of the events 5 to 6
        causation   e4
        tags        book:b1  note

        {
          "book": "b1",
          "stars": 5
        }

        before      it began the stream
        after       nothing so far

        it changed nothing in book
      """#)
    pinned("log", "LOG", "9").is(
      0,
      #"""
      9  RecordUpdated

        time        2026-03-01T10:09:00Z
        stream      book 8
        id          e9
        source      shop
        transaction 7, of this event alone
        actor       bob

        {
          "collection": "book",
          "fields": {
            "x": {
              "y": 3
            }
          },
          "id": "a.b"
        }

        before      8  2026-03-01T10:08:00Z  RecordInserted
        after       nothing so far

        it changed in book
          ~ a.b  x: {"y":3} (was 1), x.y: (none) (was 2)
      """#)
    pinned("log", "LOG", "4", "--time", "local").is(
      0,
      #"""
      4  RecordUpdated

        time        2026-03-01T10:04:00Z
        stream      book 4
        id          e4
        source      shop
        transaction 3, of this event alone
        command     reprice-b3
        actor       ann
        causation   reprice-b3
        correlation reprice-b3
        reason      sale

        {
          "collection": "book",
          "fields": {
            "price": 40
          },
          "id": "b3"
        }

        before      3  2026-03-01T10:03:00Z  RecordInserted
        after       5  2026-03-01T10:05:00Z  RecordUpdated

        it changed in book
          ~ b3  War and Peace  price: 40 (was 60)
      """#)
  }

  @Test func `event of a place that has none says so`() {
    pinned("log", "LOG", "0").is(2, "", says: #"annals: PLACE: expected an event's position from 1, found 0"#)
    pinned("log", "LOG", "10").is(2, "", says: #"annals: PLACE 10 is past the end: the log's last position is 9"#)
    pinned("log", "LOG", "tx:x").is(1, "", says: #"annals: PLACE: the log has no transaction with the label "x""#)
    pinned("log", "LOG", "id:none").is(1, "", says: #"annals: PLACE: the log has no event with the id "none""#)
    pinned("log", "LOG", "cmd:none").is(1, "", says: #"annals: PLACE: the log has no command with the id "none""#)
    let wrong = shop.tool.run("log", shop.tool.log, "nonsense")
    #expect(wrong.status == 2 && wrong.talk.hasPrefix("annals: expected PLACE or A..B, where a place is a position"))
    #expect(wrong.talk.hasSuffix(", found \"nonsense\"\n"), "\(wrong)")
    let unknown = shop.tool.run("log", shop.tool.log, "4", "--list", "recods")
    #expect(
      unknown.status == 2
        && unknown.talk.hasSuffix(
          "the log has no list or collection \"recods\". It has \"book\"; did you mean records?\n"),
      "\(unknown)")
  }

  @Test func `event as JSON has the event as export prints it`() {
    pinned("log", "LOG", "6", "--json").is(
      0,
      #"""
      {"event":{"specversion":"1.0","id":"e6","source":"shop","type":"Noted","subject":"notes","time":"2026-03-\#
      01T10:06:00Z","transaction":"e5","position":6,"schemaversion":2,"tags":"book:b1 note","causationid":"e4",\#
      "data":{"book":"b1","stars":5}},"transaction":{"number":4,"from":5,"to":6},"version":1,"previous":null,"n\#
      ext":null,"changes":[{"list":"book","batch":{"from":5,"to":6,"sections":[],"rows":[]}}]}
      """#)
    pinned("log", "LOG", "4", "--json").is(
      0,
      #"""
      {"event":{"specversion":"1.0","id":"e4","source":"shop","type":"RecordUpdated","subject":"book","time":"2\#
      026-03-01T10:04:00Z","transaction":"e4","position":4,"actor":"ann","causationid":"reprice-b3","correlatio\#
      nid":"reprice-b3","reason":"sale","data":{"collection":"book","id":"b3","fields":{"price":40}}},"transact\#
      ion":{"number":3,"from":4,"to":4},"version":4,"command":"reprice-b3","previous":3,"next":5,"changes":[{"l\#
      ist":"book","batch":{"from":3,"to":4,"sections":[],"rows":[{"type":"update","id":"b3","at":[0,2],"newAt":\#
      [0,2],"fields":{"at":{"city":"Bern"},"price":40,"shelf":"odd","tags":["a","b"],"title":"War and Peace"},"\#
      old":{"price":60}}]}}]}
      """#)
  }

  @Test func `commands are listed with what they appended, and chosen by id and place`() {
    pinned("log", "--commands", "LOG").is(
      0,
      #"""
      1…2  2026-03-01T10:00:00Z  open-shop  RecordInserted ×2  ann
      4  2026-03-01T10:00:00Z  reprice-b3  RecordUpdated  ann
      """#)
    pinned("log", "--commands", "LOG", "--json").is(
      0,
      #"""
      {"id":"open-shop","time":"2026-03-01T10:00:00Z","position":2,"count":2,"transaction":1,"actor":"ann","typ\#
      es":["RecordInserted","RecordInserted"]}
      {"id":"reprice-b3","time":"2026-03-01T10:00:00Z","position":4,"count":1,"transaction":3,"actor":"ann","ty\#
      pes":["RecordUpdated"]}
      """#)
    pinned("log", "--commands", "LOG", "--limit", "-1").is(
      0, #"4  2026-03-01T10:00:00Z  reprice-b3  RecordUpdated  ann"#)
    pinned("log", "--commands", "LOG", "--limit", "1").is(
      0, #"1…2  2026-03-01T10:00:00Z  open-shop  RecordInserted ×2  ann"#)
    pinned("log", "--commands", "LOG", "command:re*").is(0, #"4  2026-03-01T10:00:00Z  reprice-b3  RecordUpdated  ann"#)
    pinned("log", "--commands", "LOG", "command:!re*").is(
      0, #"1…2  2026-03-01T10:00:00Z  open-shop  RecordInserted ×2  ann"#)
    pinned("log", "--commands", "LOG", "command:reprice-b2").is(
      2, "", says: "annals: no command of the log has the id reprice-b2; did you mean reprice-b3?")
    pinned("log", "--commands", "LOG", "type:RecordUpdated").is(
      2, "", says: "annals: --commands: expected command:PATTERN, found type:")
    pinned("log", "--commands", "LOG", "5..").is(1, "", says: "no command from 5 to 9 is in the choice")
    pinned("log", "--commands", "LOG", "..4").is(
      0,
      #"""
      1…2  2026-03-01T10:00:00Z  open-shop  RecordInserted ×2  ann
      4  2026-03-01T10:00:00Z  reprice-b3  RecordUpdated  ann
      """#)
    pinned("log", "--commands", "LOG", "2026-03-01T10:03..").is(
      0, #"4  2026-03-01T10:00:00Z  reprice-b3  RecordUpdated  ann"#,
      says: #"2026-03-01T10:03: position 2, 2026-03-01T10:02:00Z"#)
    pinned("log", "--commands", "LOG", "--limit", "0").is(1, "")
    pinned("log", "--commands", "LOG", "--limit", "x").is(
      2, "", says: #"annals: --limit: expected a whole number such as 20 or -20, found "x""#)
  }

  @Test func `info, and a log alone, is what the log is`() {
    pinned("info", "LOG").is(
      0,
      #"""
      log         LOG, 122.9 kB
      events      9 in 7 transactions, 1.3 per transaction, 2 streams
      from        2026-03-01T10:01:00Z  RecordInserted
      to          2026-03-01T10:09:00Z  RecordUpdated
      types       RecordInserted 4, RecordUpdated 3, Noted 1, RecordDeleted 1
      streams     book 8, notes 1
      payloads    598 bytes, 66 bytes an event
      names       1 source, 2 tags, 2 commands with an id
      format      8
      lists       records
      authors     ann 3, bob 2, eve 1
      collections book
      fields      price, shelf, title, x, at, book, stars, tags, x.y
      """#)
    pinned("info", "LOG", "--json").is(
      0,
      #"""
      {"events":9,"position":9,"transactions":7,"streams":2,"firstTime":"2026-03-01T10:01:00Z","lastTime":"2026\#
      -03-01T10:09:00Z","fileBytes":122880,"commitBytes":0,"types":[{"name":"RecordInserted","events":4,"payloa\#
      dBytes":368},{"name":"RecordUpdated","events":3,"payloadBytes":176},{"name":"Noted","events":1,"payloadBy\#
      tes":23},{"name":"RecordDeleted","events":1,"payloadBytes":31}],"lists":["records"],"followers":[],"saved\#
      Lists":[],"erasures":0,"compactions":0,"horizon":0,"format":8,"sources":1,"tags":2,"commands":2,"payloadB\#
      ytes":598,"earliestTime":"2026-03-01T10:01:00Z","latestTime":"2026-03-01T10:09:00Z","personalFields":0,"s\#
      ubjects":0,"remnants":false,"byStream":[{"name":"book","events":8,"payloadBytes":575},{"name":"notes","ev\#
      ents":1,"payloadBytes":23}],"states":0,"drafts":[],"erasureHistory":[],"compactionHistory":[],"author\#
      s":["ann","bob","eve"],"collections":["book"],"fields":["price","shelf","title","x","at","book","sta\#
      rs","tags","x.y"],"byAuthor":[{"name":"ann","events":3},{"name":"bob","events":2},{"name":"eve","events":1}]}
      """#)
    pinned("LOG").is(
      0,
      #"""
      log         LOG, 122.9 kB
      events      9 in 7 transactions, 1.3 per transaction, 2 streams
      from        2026-03-01T10:01:00Z  RecordInserted
      to          2026-03-01T10:09:00Z  RecordUpdated
      types       RecordInserted 4, RecordUpdated 3, Noted 1, RecordDeleted 1
      streams     book 8, notes 1
      payloads    598 bytes, 66 bytes an event
      names       1 source, 2 tags, 2 commands with an id
      format      8
      lists       records
      authors     ann 3, bob 2, eve 1
      collections book
      fields      price, shelf, title, x, at, book, stars, tags, x.y
      """#)
    pinned("LOG", "--json").is(
      0,
      #"""
      {"events":9,"position":9,"transactions":7,"streams":2,"firstTime":"2026-03-01T10:01:00Z","lastTime":"2026\#
      -03-01T10:09:00Z","fileBytes":122880,"commitBytes":0,"types":[{"name":"RecordInserted","events":4,"payloa\#
      dBytes":368},{"name":"RecordUpdated","events":3,"payloadBytes":176},{"name":"Noted","events":1,"payloadBy\#
      tes":23},{"name":"RecordDeleted","events":1,"payloadBytes":31}],"lists":["records"],"followers":[],"saved\#
      Lists":[],"erasures":0,"compactions":0,"horizon":0,"format":8,"sources":1,"tags":2,"commands":2,"payloadB\#
      ytes":598,"earliestTime":"2026-03-01T10:01:00Z","latestTime":"2026-03-01T10:09:00Z","personalFields":0,"s\#
      ubjects":0,"remnants":false,"byStream":[{"name":"book","events":8,"payloadBytes":575},{"name":"notes","ev\#
      ents":1,"payloadBytes":23}],"states":0,"drafts":[],"erasureHistory":[],"compactionHistory":[],"author\#
      s":["ann","bob","eve"],"collections":["book"],"fields":["price","shelf","title","x","at","book","sta\#
      rs","tags","x.y"],"byAuthor":[{"name":"ann","events":3},{"name":"bob","events":2},{"name":"eve","events":1}]}
      """#)
    pinned("info").is(
      2, "",
      says: #"""
        annals: annals info needs LOG
        usage: annals info LOG [options]
        """#)
  }
}
