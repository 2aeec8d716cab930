/// The promises of the documentation, each with the tests that try to break it.
///
/// A promise is a sentence of a page, marked where it begins: `<a id="promise-NAME"></a>`. `PromisesTests` compares
/// this table with the pages and with the names of the tests.
let promises: [(page: String, name: String, tests: [String])] = [
  (
    "Docs/Evolution.md", "deep-value-refused-encoded",
    [
      "a value of 100,000 levels is refused while it is encoded, wherever an event is appended",
      "a chain of 100,000 objects is refused by any kind of container",
      "a coding of the type's own is not called for more levels than an event can have",
    ]
  ),
  (
    "Docs/ChangeSemantics.md", "delivery",
    [
      "every test of the rules is a rule of the page",
      "every rule is one sentence and the name of a test",
    ]
  ),
  (
    "Docs/ChangeSemantics.md", "row-whose-section-sort",
    [
      "a row whose section and sort key haven't changed never moves",
      "no row moves that need not, and none whose keys are what they were",
    ]
  ),
  (
    "Docs/ChangeSemantics.md", "third-about-rows-group",
    [
      "if the library can choose which rows move, it chooses the rows that get a different path"
    ]
  ),
  (
    "Docs/ChangeSemantics.md", "content-section-updates-row",
    [
      "the structure is delivered in one update cycle and the content in a second",
      "a move reports whether the content changed too",
    ]
  ),
  (
    "Docs/ChangeSemantics.md", "unsectioned-list-section-delegate",
    [
      "an unsectioned list has one section, which is never reported to the delegate"
    ]
  ),
  (
    "Docs/ChangeSemantics.md", "observer-changes-gets-batch",
    [
      "an observer of changes gets every batch after the delegate"
    ]
  ),
  (
    "Docs/ChangeSemantics.md", "brackets-controller-nest",
    [
      "update cycles of one controller never nest"
    ]
  ),
  (
    "Docs/ChangeSemantics.md", "observation-cancelled-inside-callback",
    [
      "an observation canceled inside a callback is no longer called"
    ]
  ),
  (
    "Docs/Compaction.md", "projection-row-whether-request",
    [
      "boundaries, sections' order and numbers are proven, and a decider that is wrong is refused",
      "a compaction is refused for a row that the request hides, an entity, a title or a number of a section",
    ]
  ),
  (
    "Docs/Compaction.md", "first-difference-something-cannot",
    [
      "a rule that is wrong is refused with what would differ, and not a byte of the events changes",
      "a store in memory keeps the contract",
      "a store in an SQLite file keeps the contract",
    ]
  ),
  (
    "Docs/Compaction.md", "positions-versions-transaction-numbers",
    [
      "a store in memory keeps the contract",
      "a store in an SQLite file keeps the contract",
      "after any history with any compactions in between a log answers what a plain program does",
    ]
  ),
  (
    "Docs/Compaction.md", "lists-positions-cannot-shown",
    [
      "positions before the horizon cannot be shown, and 0 and those after it can"
    ]
  ),
  (
    "Docs/Compaction.md", "position-empty-list-can",
    [
      "positions before the horizon cannot be shown, and 0 and those after it can"
    ]
  ),
  (
    "Docs/Compaction.md", "saved-lists-kept-states",
    [
      "lists of other stores, saved ones and kept ones agree with a rebuild after a compaction",
      "a list that was made before a compaction is not saved after it",
      "states that are kept are those of a rebuild, and a command on a stream without its last events goes on",
    ]
  ),
  (
    "Docs/Compaction.md", "removal-refused-unless-allowed",
    [
      "a boundary's state prevents the removal unless its decider is allowed, and a stream's state doesn't",
      "a saved draft with a command for the stream prevents the removal unless it is allowed",
      "a list that can't be built without the stream prevents the removal, even if it is allowed",
      "a store in memory keeps the contract",
      "a store in an SQLite file keeps the contract",
    ]
  ),
  (
    "Docs/Compaction.md", "removed-stream-recreated",
    [
      "after any history with any compactions in between a log answers what a plain program does",
      "another opener that knows a removed stream's version, state and list sees the new stream",
      "if any call of the disk fails, a removal is done completely or not at all",
    ]
  ),
  (
    "Docs/Compaction.md", "removed-payloads-no-file",
    [
      "none of the bytes of a removed stream's payloads is in any file of the log"
    ]
  ),
  (
    "Docs/OwnStores.md", "store-passes-rules-storecontract",
    [
      "a store of mine keeps the contract"
    ]
  ),
  (
    "Docs/Concepts.md", "distinguish-event-cloudevents",
    [
      "an identity may be used once, in the log and in one append",
      "a store in an SQLite file keeps the contract",
    ]
  ),
  (
    "Docs/Concepts.md", "list-folded-saved-transaction",
    [
      "a list that is kept in every append is at the log's end, on disk too, whenever a process is killed",
      "what another store appends is in the list that is kept with the next append",
    ]
  ),
  (
    "Docs/Contributing.md", "public-declaration-docstring-whose",
    [
      "every public declaration has a docstring whose first sentence stands alone"
    ]
  ),
  (
    "Docs/Contributing.md", "names-its-tests",
    [
      "every promise of a page names tests that exist",
      "differences between promises, pages and tests are found",
    ]
  ),
  (
    "Docs/Durability.md", "remains-complete-log-ends",
    [
      "a log that was not synced is whole after a loss of power, and may end sooner",
      "a log that is synced less than it should be is seen to lose what was acknowledged",
    ]
  ),
  (
    "Docs/Durability.md", "after-erasure-reported-complete",
    [
      "what was acknowledged is there after a loss of power, and nothing is half there",
      "a log that was not synced is whole after a loss of power, and may end sooner",
    ]
  ),
  (
    "Docs/Durability.md", "next-process-opens-log",
    [
      "a log whose first page was torn while commits were copied is repaired, and a file that is no log is not"
    ]
  ),
  (
    "Docs/Erasure.md", "after-erase-subject-subject",
    [
      "an event comes back to the byte, with its values and without them, and it alone changes",
      "a personal value is an object that names its subject, and an erased one has no value",
    ]
  ),
  (
    "Docs/Erasure.md", "saved-lists-all-made",
    [
      "none of the bytes of what was erased is in any file of the log",
      "a state that was folded before an erasure is not kept after it",
      "a saved list that is open in another store is whole when what it shows is erased",
    ]
  ),
  (
    "Docs/Erasure.md", "controllers-process-fold-again",
    [
      "a list loses what is erased in an ordinary batch, also in the past, and nothing brings it back",
      "processes that append, save lists and erase at the same time leave no erased bytes",
    ]
  ),
  (
    "Docs/Erasure.md", "you-find-events-personal",
    [
      "names, tags and metadata stay as they are when an erasure takes values, whatever they look like"
    ]
  ),
  (
    "Docs/Erasure.md", "value-missing-without-such",
    [
      "what is missing and was not erased, or is there and was not said, is damage"
    ]
  ),
  (
    "Docs/Erasure.md", "broken-looks-like-erasure",
    [
      "what is missing and was not erased, or is there and was not said, is damage",
      "bits that are flipped anywhere lead to a right answer or an error, for all who ask",
    ]
  ),
  (
    "Docs/OwnStores.md", "store-passes-rules-storecontract-about",
    [
      "a store of mine keeps the contract"
    ]
  ),
  (
    "Docs/EventsInAndOut.md", "category-never-whole-log",
    [
      "a category is found through the range of names and the index of streams",
      "pages of rare and frequent categories in a long log contain the same events as a filter",
    ]
  ),
  (
    "Docs/Evolution.md", "schema-belongs-whole-enum",
    [
      "a log of the first format with the first events goes on with today's, and keeps what was stored",
      "a decider sees what became of old events, also of one's own in the transaction",
    ]
  ),
  (
    "Docs/Evolution.md", "seek-stops-between",
    [
      "a seek never stops between what one stored event has become",
      "a seek in between shows what a log cut off there would show, and its batches lead there",
    ]
  ),
  (
    "Docs/Evolution.md", "query-store-events-subscription",
    [
      "a query, a subscription and a condition are of what is stored, by the stored names"
    ]
  ),
  (
    "Docs/Evolution.md", "upcaster-context-same-everywhere",
    [
      "every reader passes the stream, time and metadata of an event to its upcasters",
      "a subscription passes the context to upcasters",
      "an undo passes the context of the reversed events to upcasters",
      "a compaction's rule gets events that were upcast with their context",
    ]
  ),
  (
    "Docs/Evolution.md", "both-stop-list-default",
    [
      "an event that a newer program wrote stops a list, is skipped, or is read as it is",
      "a newer event of no case is unknown, and a dropped type is one that may come again",
    ]
  ),
  (
    "Docs/Evolution.md", "verifies-line-can-read",
    [
      "samples are kept the first time, said to be new, and found from then on",
      "what a line says and the type forgets is named, and so is what cannot be read",
    ]
  ),
  (
    "Docs/FileFormat.md", "complete-you-can-read",
    [
      "Python reads a log, open or closed, by what the format's page says",
      "Python reads a log that was compacted, and finds what is missing",
    ]
  ),
  (
    "Docs/FileFormat.md", "type-brings-own-coding",
    [
      "any JSON with personal fields anywhere is cut and joined to the byte, and erasing takes one subject's",
      "the coding that a type brings is the one that is used",
      "an export of any history imports to an equal export",
    ]
  ),
  (
    "Docs/FileFormat.md", "triggers-refuse-update-delete",
    [
      "triggers refuse what would change what was stored, in each table that says so"
    ]
  ),
  (
    "Docs/FileFormat.md", "cache-row-each-list",
    [
      "the number of a saved list is not used again, though lists are deleted and the log is rewritten",
      "no number in the row of a list ends a program, and each that is not as it was is a miss",
      "lists of other stores, saved ones and kept ones agree with a rebuild after a compaction",
    ]
  ),
  (
    "Docs/FromCoreData.md", "below-member-nsfetchedresultscontroller-related",
    [
      "the page on Core Data has every member of the class, its sections and its delegate, each once"
    ]
  ),
  (
    "Docs/FromCoreData.md", "fetchrequest-section-property-closure",
    [
      "sections with equal keys are the same, and nil and the empty string are two keys",
      "integers are ordered by value, in every width",
      "an enum with a raw value is ordered by it",
      "a sort that is not led by the section's key gives each chapter once",
    ]
  ),
  (
    "Docs/FromCoreData.md", "same-needed-again-harmless",
    [
      "a second fetch changes nothing, is never needed, and is not reported"
    ]
  ),
  (
    "Docs/FromCoreData.md", "store-results-values-go",
    [
      "results of a saved list are read on many threads while the controller goes on",
      "a list that is kept is not touched by what comes after",
    ]
  ),
  (
    "Docs/FromCoreData.md", "same-defined-title-index",
    [
      "index titles are defined for every title, and a delegate may give its own"
    ]
  ),
  (
    "Docs/FromCoreData.md", "delegate-s-method-rows",
    [
      "A method for rows with a wrong label, order or type is a compile error with the correct signature",
      "A method for sections with a wrong label, order or type is a compile error with the correct signature",
    ]
  ),
  (
    "Docs/Interchange.md", "written-text-kept-metadata",
    [
      "numbers, tags and times that are written oddly are exported the same again"
    ]
  ),
  (
    "Docs/Interchange.md", "correlationid-causationid-actor",
    [
      "metadata with an attribute's name are kept, each under a name of its own, and in order",
      "an export keeps what it does not know, and what an app wrote",
    ]
  ),
  (
    "Docs/Interchange.md", "json-none",
    [
      "any JSON, or none, is data that comes back as the text that it was"
    ]
  ),
  (
    "Docs/MirrorTable.md", "mirrordelegate-live-controller-annals",
    [
      "the data source must have the old list when a bracket begins",
      "the controller shows the old list until willChange has returned, and then the new list",
      "a table follows the shelves",
      "a batch that forgets a change ends the replay with a negative answer that names it",
      "batches that lead from list to list are taken and counted",
    ]
  ),
  (
    "Docs/PostgreSQLOperations.md", "when-returns-read-process",
    [
      "Erasures beside writers whose backends are killed erase all that came before, and nothing else",
      "A store in PostgreSQL erases as the contract says",
    ]
  ),
  (
    "Docs/Relations.md", "here-projection-declares-rows",
    [
      "a changed entity updates only the rows that depend on it"
    ]
  ),
  (
    "Docs/Relations.md", "you-can-sort-cut",
    [
      "rows contain the current values of their entities, and change like any other rows",
      "a seek shows the names of that time, and an author's new name moves the author's books",
    ]
  ),
  (
    "Docs/Replicas.md", "copy-part-transaction",
    [
      "replicas have whole transactions of the remote log at every moment, and notice another history",
      "a transaction larger than a page comes as one",
    ]
  ),
  (
    "Docs/Replicas.md", "connection-process-machine-ends",
    [
      "replicas have whole transactions of the remote log at every moment, and notice another history",
      "A file is to the byte what the server has, while others write and connections are killed",
    ]
  ),
  (
    "Docs/Replicas.md", "process-ends-moment-next",
    [
      "A replica that is killed at any moment of following an erasure goes on, and shows nothing half",
      "an erasure that is cut off anywhere goes on, and is whole or not there meanwhile",
      "an erasure whose store fails anywhere goes on",
    ]
  ),
  (
    "Docs/Replicas.md", "copy-behind-horizon-when",
    [
      "a copy before the horizon is shown as it was until it is past it, whatever reads it",
      "A replica that is killed while it follows a compaction shows what was before or what is left",
      "replicas have whole transactions of the remote log at every moment, and notice another history",
    ]
  ),
  (
    "Docs/Replicas.md", "copy-follower-can-handle",
    [
      "a follower on a copy handles what is about to be cut, or says that it never can"
    ]
  ),
  (
    "Docs/Replicas.md", "follower-copy-can-handle",
    [
      "a follower on a copy handles what is about to be cut, or says that it never can"
    ]
  ),
  (
    "Docs/Replicas.md", "reads-new-copy-complete",
    [
      "A list on screen keeps its rows until the new log is complete, and then changes in one batch",
      "A subscription delivers the old log's events while the copy is being replaced",
      "An inline list changes from the old log to the new log in one transaction",
      "Another store of the same file has the old log, then the new log, and its lists change",
      "replicas have whole transactions of the remote log at every moment, and notice another history",
    ]
  ),
  (
    "Docs/Replicas.md", "call-fails-process-ends",
    [
      "Every failed call of the store leaves the old copy or the whole new copy",
      "replicas have whole transactions of the remote log at every moment, and notice another history",
    ]
  ),
  (
    "Docs/Replicas.md", "several-replicas-replace-once",
    [
      "A call that waited for a follower doesn't replace the copy of another call",
      "A replica that catches up while another replica replaces the copy never mixes the two logs",
      "Another replica that replaces the copy during any call is overtaken by no call",
      "Two calls for one copy replace it once",
    ]
  ),
  (
    "Docs/Samples.md", "team-bookshop-two-players",
    [
      "no number comes last, both zeros are one key, and equal keys keep the ids' order"
    ]
  ),
  (
    "Docs/SavedLists.md", "lists-differ-different-lists",
    [
      "lists that differ in any part of what they are known by are different lists, and may share a name",
      "two teams that share the cache name find each its own players at the next start",
    ]
  ),
  (
    "Docs/SavedLists.md", "limit-offset-cut-saved",
    [
      "limit and offset cut a saved list as they cut any other"
    ]
  ),
  (
    "Docs/SavedLists.md", "part-request-needs-name",
    [
      "a request with a part without a name is refused where there is a cache name"
    ]
  ),
  (
    "Docs/SavedLists.md", "projection-encodable-identified-json",
    [
      "a projection that is encodable is known by its JSON",
      "JSON that tells projections from each other is the same for equal sets",
    ]
  ),
  (
    "Docs/SavedLists.md", "you-declare-identity",
    [
      "a projection that says what it is is known by that, whatever its JSON",
      "a projection without an identity is refused with a cache name, and shown without one",
    ]
  ),
  (
    "Docs/SavedLists.md", "results-lost-list-shown",
    [
      "a list that is lost while it is changed goes over to the rebuilt one in an exact batch",
      "a saved list that lies about any number is made again, or says that something is wrong",
    ]
  ),
  (
    "Docs/SavedLists.md", "event-cannot-folded-list",
    [
      "a list that is rebuilt where one was lost stops before an event that cannot be folded"
    ]
  ),
  (
    "Docs/SavedLists.md", "results-shows-append-soon",
    [
      "what was appended is in the list that is kept when the append has returned, on whatever thread",
      "a list that is kept in every append is at the log's end, on disk too, whenever a process is killed",
    ]
  ),
  (
    "Docs/SavedLists.md", "performfetch-show-fraction-reports",
    [
      "a long fetch says how far it is, between transactions, and ends at the log's end",
      "a fetch that is ended early shows nothing, and the next goes on where it was",
    ]
  ),
  (
    "Docs/SavedLists.md", "store-fetch-cache-name",
    [
      "a store that keeps no lists refuses a cache name",
      "a store of mine keeps the contract",
    ]
  ),
  (
    "Docs/TestingHowTos.md", "nothing-shrunk-failing-case",
    [
      "a bare expectation records an issue for every failing case, and nothing is shrunk"
    ]
  ),
  (
    "Docs/TestingHowTos.md", "try-require-throws-but",
    [
      "a demand of Swift Testing is shrunk, and records an issue for every case on the way that fails"
    ]
  ),
  (
    "Docs/TestingReference.md", "integers-width-large-ranges",
    [
      "integers of every width are made",
      "large ranges bring small numbers, long ones, and neighbours of powers",
    ]
  ),
  (
    "Docs/TestingReference.md", "smaller-value-generator-makes",
    [
      "every value on the way to the smallest is one that the generator makes"
    ]
  ),
  (
    "Docs/TestingHowTos.md", "step-two-commands-most",
    [
      "a store that takes an append of before is found the same way"
    ]
  ),
  (
    "Docs/TestingHowTos.md", "check-passes-says-little",
    [
      "a law of a decider that never makes an event fails",
      "a law that only met empty histories fails",
    ]
  ),
  (
    "Docs/TestingHowTos.md", "here-command-closes-door",
    [
      "a law of a decider that refuses every command fails and says what was refused"
    ]
  ),
  (
    "Docs/TestingHowTos.md", "report-check-returns-refusals",
    [
      "a report says which events, commands and refusals no example reached"
    ]
  ),
  (
    "Docs/TestingHowTos.md", "passing-check-prints",
    [
      "a check that passes prints the cases that no example reached",
      "a check prints no block if every case is reached, allowed or only in a scenario",
    ]
  ),
  (
    "Docs/TestingHowTos.md", "command-refused-ten-times",
    [
      "a command that is drawn ten times and always refused fails a law, and nine times are too few"
    ]
  ),
  (
    "Docs/TestingHowTos.md", "laws-events-without-effect",
    [
      "the laws count events that change no row, once in every case"
    ]
  ),
  (
    "Docs/TestingReference.md", "sometimes-condition-fails-check",
    [
      "what must happen sometimes and never does fails the check"
    ]
  ),
  (
    "Docs/TestingReference.md", "asynchronous-function-swift-chooses",
    [
      "a property that waits is checked and shrinks",
      "the cases run in the caller's isolation",
    ]
  ),
  (
    "Docs/TestingReference.md", "without-seed-run-another",
    [
      "without a seed each run has another one, and the report and the failure name it"
    ]
  ),
  (
    "Docs/TestingReference.md", "trap-ends-only-process",
    [
      "a trap is found, and shrunk to the smallest history that traps"
    ]
  ),
  (
    "Docs/TestingReference.md", "purity-check-generator-same",
    [
      "what a projection reads besides its events is found in the world that differs in it"
    ]
  ),
  (
    "Docs/OwnStores.md", "open-log-again-after",
    [
      "what a store loses at its opening is found and named",
      "a machine that opens the store again finds by itself what is lost",
    ]
  ),
  (
    "Docs/OwnStores.md", "all-events-promised",
    [
      "a store without a mistake keeps the rules, also if it promises less",
      "checkpoints that are lost at the opening are found",
    ]
  ),
  (
    "Docs/ToolReference.md", "annals-help-subcommand-prints",
    [
      "the help of each subcommand has each of its options, and examples that it takes"
    ]
  ),
  (
    "Docs/ToolReference.md", "options-abbreviated-ends-n",
    [
      "no option may be abbreviated in any subcommand, and two hyphens end them"
    ]
  ),
  (
    "Docs/ToolReference.md", "batch-changes-something-place",
    [
      "replay prints a line for each batch that changes something, and begins with the one section",
      "replay and show say what a plain model says, for every batching, and a table view takes all",
      "a batch that forgets a change ends the replay with a negative answer that names it",
      "a replay prints the batches with an event that passes the filter",
    ]
  ),
  (
    "Docs/ToolReference.md", "where-condition-list-first",
    [
      "find says at which transactions a condition begins and ends to hold, as a look at each does"
    ]
  ),
  (
    "Docs/ToolReference.md", "id-breaks-ties-ascending",
    [
      "replay and show say what a plain model says, for every batching, and a table view takes all"
    ]
  ),
  (
    "Docs/ToolReference.md", "after-compaction-cut-events",
    [
      "a subject is not known any more after a compaction cut the events that said something of it"
    ]
  ),
  (
    "Docs/ToolReference.md", "record-updated-keeps-event",
    [
      "what is left is an insertion of each record and the last title of each section"
    ]
  ),
  (
    "Docs/ToolReference.md", "before-anything-committed-records",
    [
      "a compaction that changes a record, a field or a title of whatever collection does nothing"
    ]
  ),
  (
    "Docs/ToolReference.md", "auto-colours-terminal-unless",
    [
      "colours come and go as the option says"
    ]
  ),
  (
    "Docs/ToolReference.md", "subcommand-takes-these-options",
    [
      "the help of each subcommand has each of its options, and examples that it takes",
      "the completions have each subcommand and each option",
    ]
  ),
  (
    "Docs/ToolReference.md", "stand-before-name-before",
    [
      "options stand before the subcommand, before the log or after it"
    ]
  ),
  (
    "Docs/ToolReference.md", "progress-plain-prints-line",
    [
      "plain progress is a line every five seconds, without controls, and without a terminal too"
    ]
  ),
  (
    "Docs/ToolReference.md", "sqlite-s-integrity-check",
    [
      "verify finds a sound log sound, and says where a damaged one is not",
      "verify finds record events that an app wrote and no list can hold",
      "pages that were changed by hand are found",
      "a log with a damaged page is not found sound",
    ]
  ),
  (
    "Docs/ToolReference.md", "killed-moment-log-whole",
    [
      "an import that is killed has whole transactions, and another run adds the rest"
    ]
  ),
  (
    "Docs/ToolReference.md", "terminal-ask-name-counts",
    [
      "any answer but yes changes nothing"
    ]
  ),
  (
    "Docs/ToolReference.md", "export-without-personal-redact",
    [
      "an export is redacted in payloads, metadata and tags, and can be imported"
    ]
  ),
  (
    "Docs/ToolReference.md", "screen-less-columns-rows",
    [
      "Whatever is pressed at any size, each row has exactly the screen's columns"
    ]
  ),
  (
    "Docs/ToolReference.md", "place-first-days-ago",
    [
      "Any place can be gone to, and errors are said at the bottom"
    ]
  ),
  (
    "Docs/ToolReference.md", "texts-log-control-terminal",
    [
      "Nothing in a text controls the terminal"
    ]
  ),
  (
    "Docs/ToolReference.md", "three-payloads-all-only",
    [
      "rows that --where leaves out are not in the page, nor what led to them or away",
      "rows beyond --limit are not in the page",
    ]
  ),
  (
    "Docs/ToolReference.md", "without-payloads-leaves-out",
    [
      "rows that --where leaves out are not in the page, nor what led to them or away"
    ]
  ),
  (
    "Docs/ToolReference.md", "erased-values-erased-case",
    [
      "personal values are hidden when asked, and erased ones stay erased"
    ]
  ),
  (
    "Docs/ToolReference.md", "content-security-policy-forbids",
    [
      "only the page's own script and style run, by a number that each page draws anew",
      "hostile texts end no script and begin no element",
    ]
  ),
  (
    "Docs/ToolReference.md", "json-object-empty-arrays",
    [
      "each subcommand that prints JSON has a schema, and each schema describes what is printed"
    ]
  ),
  (
    "Docs/ToolReference.md", "o-file-writes-new",
    [
      "a test goes to a new file, and to no file that is there"
    ]
  ),
  (
    "Docs/Views.md", "delegate-notified-batch-view",
    [
      "collapsing reports a section's rows as deleted, expanding as inserted, and the header stays",
      "collapsing inside a callback waits until the update cycle has ended",
    ]
  ),
  (
    "Docs/Evidence/Shrinking.md", "all-tests-here-over",
    [
      "a problem of the challenge shrinks to one form, in few cases"
    ]
  ),
  (
    "Docs/Evidence/SuddenEnds.md", "everything-acknowledged-append-all",
    [
      "after a crash, the log contains all acknowledged appends, and each append completely"
    ]
  ),
  (
    "Docs/Evidence/SuddenEnds.md", "damagetests-cuts-log-flips",
    [
      "a log that is cut at any page is refused, or answers what it had",
      "a bit that is flipped in any page is refused, or does not matter",
    ]
  ),
  (
    "Docs/Evidence/SuddenEnds.md", "system-power-append-acknowledged",
    [
      "what was acknowledged is there after a loss of power, and nothing is half there",
      "a log that was not synced is whole after a loss of power, and may end sooner",
      "what threads commit together is there after a loss of power, all of it that was acknowledged",
    ]
  ),
]
