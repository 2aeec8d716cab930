import AnnalsReplay

#if Postgres
  import AnnalsPostgres
#endif

@main
struct AnnalsTool {
  static func main() {
    #if Postgres
      ReplayTool.annals(
        with: ReplayRemote(schemes: ["postgresql", "postgres"]) { url, creates in
          try await PostgresEventStore(url: url, options: PostgresOptions(creates: creates))
        }
      ).main()
    #else
      ReplayTool.annals.main()
    #endif
  }
}
