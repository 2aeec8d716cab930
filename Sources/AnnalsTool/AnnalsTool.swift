import AnnalsReplay

@main
struct AnnalsTool {
  static func main() {
    ReplayTool.annals.main()
  }
}
