import AnnalsReplay
import FestivalDomain

@main
struct FestivalTool {
  static func main() {
    ReplayTool(
      ReplayList(ProgrammeList(), request: .programme),
      ReplayList(VolunteerList(), request: .volunteers),
      ReplayList(TicketList(), request: .tickets),
      ReplayCommands(Programme.self, examples: [.renameStage(1, to: "Meadow"), .closeStage(1), .assign(3, to: 7)])
    ).main()
  }
}
