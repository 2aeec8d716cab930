extension Console {
  /// The console as the options of every subcommand say.
  func adopting(_ arguments: Arguments) -> Console {
    var console = self
    console.colour = arguments.value("--color").flatMap(ColourChoice.init) ?? colour
    console.progress = arguments.value("--progress").flatMap(ProgressChoice.init) ?? progress
    if arguments.has("--quiet") {
      console.talk = { _ in }
      console.progress = .none
    }
    return console
  }
}
