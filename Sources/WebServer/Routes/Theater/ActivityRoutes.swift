import Accounts
import Devices
import HomeTheater
import HTTPTypes
import Hummingbird
import JSON
import Scenes
import ServiceLifecycle

extension APIServices {
  /// Beginning and ending what a person does for an evening.
  var activityRoutes: [Route] {
    [
      .post(
        "/api/v1/activities/{name}", by: .permitted(.play), "Begins an activity of devices.json."
      ) { call in
        try await begin(try call.captured("name"), call)
      },
      begin("watch", .films), begin("listen", .songs), begin("radio", .stations),
      .post("/api/v1/end", by: .permitted(.play), "Ends what is on.") { call in
        _ = try call.fields()
        let principal = try call.theaterPrincipal()
        return try await answer(call) { try await theater.end(by: principal) }
      },
      .post("/api/v1/off", "Turns everything off.") { call in
        _ = try call.fields()
        let principal = try call.theaterPrincipal()
        return try await answer(call) { try await theater.turnEverythingOff(by: principal) }
      },
      .post("/api/v1/popcorn", "Makes popcorn, beside whatever is on.") { call in
        _ = try call.fields()
        let principal = try call.theaterPrincipal()
        return try await answer(call) { try await theater.popcorn(by: principal) }
      },
    ]
  }

  private func begin(_ word: String, _ category: Category) -> Route {
    .post(
      "/api/v1/\(word)", by: .permitted(.play),
      "Begins the activity that plays \(category.rawValue)."
    ) { call in
      try await begin(try theater.activity(for: category), call)
    }
  }

  private func begin(_ name: String, _ call: RequestContext) async throws -> Response {
    let fields = try call.fields("item", "fromStart")
    let item = try fields.text("item")
    let fromStart = try fields.flag("fromStart")
    // Taken first, so that who follows the events from here misses none of this run.
    let event = theater.events.currentID
    let begun = try await theater.begin(
      name, item: item, fromStart: fromStart, by: call.theaterPrincipal())
    return await answer(call, begun.run, resumedAt: begun.resumedAt, event: event)
  }

  /// Begins a run and answers for it.
  func answer(_ call: RequestContext, _ begin: () async throws -> Run) async throws -> Response {
    let event = theater.events.currentID
    return await answer(call, try await begin(), resumedAt: nil, event: event)
  }

  /// 200 when the run ends within the time that the request would wait, else 202.
  private func answer(_ call: RequestContext, _ run: Run, resumedAt: Double?, event: String) async
    -> Response
  {
    let report = await ended(run, for: call.preferredWait)
    var body: JSONObject = ["run": report.json, "event": .string(event)]
    if let resumedAt { body["resumedAt"] = .number(resumedAt) }
    var response = Response(
      .object(body), status: report.status == .running ? .accepted : .ok)
    response.headers[.location] = "/api/v1/runs/\(report.id)"
    if let seconds = call.preferredWait.seconds {
      response.headers[.preferenceApplied] = "wait=\(seconds)"
    }
    return response
  }

  /// The run's report when it ends, or when the request would wait no longer.
  func ended(_ run: Run, for wait: PreferredWait) async -> RunReport {
    guard let seconds = wait.seconds, seconds > 0, !wait.isAsynchronous else { return run.report }
    let clock = theater.clock
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await run.finished() }
        group.addTask { try? await clock.sleep(until: clock.now() + .seconds(seconds)) }
        await group.next()
        group.cancelAll()
      }
    }
    return run.report
  }
}
