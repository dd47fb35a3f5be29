import Devices
import JSON
import Scenes

extension HomeTheaterFacade {
  /// Makes popcorn, beside whatever is on: the scene "popcorn".
  package func popcorn(by principal: Principal) async throws(TheaterError) -> Run {
    try await runScene("popcorn", arguments: [:], by: principal)
  }

  /// Runs a scene. A scene that plays something becomes the current activity, unless it only adds the
  /// sound of another player to it; any other scene runs beside the activity.
  package func runScene(
    _ name: String, arguments texts: [String: String], by principal: Principal
  ) async throws(TheaterError) -> Run {
    guard let scene = plan.scenes[name] else { throw unknown("scene", name, plan.scenes.keys) }
    try checkStage(by: principal)
    if stage.activity != nil, stage.endScenes == [name] { return try await end(by: principal) }
    let planned = try planner.plan(
      scene, arguments: try arguments(texts, for: scene, by: principal))
    try checkRatings(of: planned, by: principal)
    if let played = played(by: planned) {
      if becomesCurrent(played, by: planned, of: scene) {
        return try await begin(scene, played, planned, by: principal)
      }
      try checkPlaying(scene, by: principal)
    }
    let steps = limited(planned, by: principal)
    let run = Run(id: history.nextID(), scene: scene.name, steps: steps, events: events)
    history.add(run)
    run.start { [runner] run in
      await runner.run(steps, as: run) { (step) throws(DeviceError) in
        try await self.perform(step, by: principal)
      }
    }
    return run
  }

  /// A run of the last while.
  package func run(id: String, by principal: Principal) throws(TheaterError) -> Run {
    guard let run = history[id] else {
      throw TheaterError(.notFound, "there is no run \"\(id.quotation)\"")
    }
    return run
  }

  // MARK: The library

  /// What this person can choose.
  package func entries(_ category: Category, for principal: Principal) -> [Catalogue.Entry] {
    catalogue.entries(category, ageLimit: principal.ageLimit)
  }

  // MARK: Status

  /// What is on, what plays and every device, for the API.
  package func status(for principal: Principal) async -> JSON {
    await catchUp()
    let now = clock.now()
    var object: JSONObject = ["event": .string(events.currentID), "activity": stage.report.json]
    var list: [JSON] = []
    for device in devices.values.sorted(by: { $0.id < $1.id }) {
      let snapshot = await device.snapshot()
      list.append(snapshot.json(id: device.id, role: device.role, now: now))
      if device.id == stage.activity?.player, let reading = snapshot.state.readings[.playback],
        var playback = snapshot.state.playback
      {
        playback.position = playback.position(after: now - reading.time)
        object["playback"] = playback.json
      }
    }
    object["devices"] = .array(list)
    return .object(object)
  }
}
