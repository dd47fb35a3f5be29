import Devices
import HomeTheater
import Hummingbird
import JSON

extension APIServices {
  /// What is on, what can be chosen, and everything that happens.
  var theaterRoutes: [Route] {
    [
      .get("/api/v1/status", "What is on, what plays, every device.") { call in
        Response(try await theater.status(for: try call.theaterPrincipal()))
      },
      .get("/api/v1/events", "Everything that happens, as server-sent events.") { call in
        try EventStream(theater: theater, accountService: accountService, places: streams).response(
          to: call)
      },
      list(.films), list(.songs), list(.stations),
      .post("/api/v1/library/scan", "Reads every player's catalogue again, and reports each.") {
        call in
        _ = try call.fields()
        let principal = try call.theaterPrincipal()
        let reports = try await theater.scanLibrary(by: principal)
        var answer: JSONObject = ["players": .array(reports.map(\.json))]
        for category in Category.allCases {
          answer[category.rawValue] = .integer(
            await theater.entries(category, for: principal).count)
        }
        return Response(.object(answer))
      },
    ]
  }

  private func list(_ category: Category) -> Route {
    .get("/api/v1/\(category.rawValue)", "The \(category.rawValue) that can be chosen.") { call in
      let entries = await theater.entries(category, for: try call.theaterPrincipal())
      return Response(.object([category.rawValue: .array(entries.map(\.json))]))
    }
  }
}
