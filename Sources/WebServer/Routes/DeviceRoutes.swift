import Accounts
import Devices
import HTTPTypes
import HomeTheater
import Hummingbird
import JSON
import Platform
import Scenes
import ServiceLifecycle
import TheaterAPI

extension APIServices {
  /// Single devices and scenes.
  ///
  /// - Parameter room: The room of the request; `nil` for the first one of the file.
  func respond(
    to endpoint: DeviceEndpoint, _ request: RequestContext, in room: RoomID?
  ) async throws -> Response {
    switch endpoint {
    case .devices:
      var devices: [JSON] = []
      for device in theater.devices(for: try request.theaterPrincipal()) {
        devices.append(await json(device))
      }
      return Response(["devices": .array(devices)])
    case .device:
      let device = try device(request)
      var object = await json(device).object ?? [:]
      object["commands"] = .array(device.role.commands.map(\.json))
      return Response(.object(object))
    case .sendCommand: return try await sendCommand(request)
    case .swapPlugin: return try await swapPlugin(request)
    case .deviceLog: return try await deviceLog(request)
    case .scenes:
      return Response(["scenes": .array(theater.plan.orderedScenes.map { json($0) })])
    case .planScene:
      let name = try request.captured("name")
      let fields = try request.fields()
      let plan = try await theater.planScene(
        name, arguments: fields.sceneArguments(), in: place(of: name, room, request),
        fromStart: fields.flag("fromStart"), by: request.theaterPrincipal())
      return Response(plan.json)
    case .runScene:
      let name = try request.captured("name")
      let fields = try request.fields()
      let (arguments, fromStart) = (try fields.sceneArguments(), try fields.flag("fromStart"))
      let principal = try request.theaterPrincipal()
      return try await answer(request) {
        try await theater.runScene(
          name, arguments: arguments, in: place(of: name, room, request), fromStart: fromStart,
          by: principal)
      }
    case .cancelScene:
      let name = try request.captured("name")
      return Response(try await theater.cancelScene(name, by: request.theaterPrincipal()).json)
    case .runs:
      let runs = try await theater.runningRuns(for: request.theaterPrincipal())
      return Response(["runs": .array(runs.map(\.json))])
    case .run:
      let run = try await theater.run(id: request.captured("id"), by: request.theaterPrincipal())
      return Response(await report(of: run, for: request).json)
    case .cancelRun:
      let id = try request.captured("id")
      return Response(try await theater.cancelRun(id: id, by: request.theaterPrincipal()).json)
    }
  }

  /// The room for a run of a scene: that of the path; the one that the session has named last only for a scene that
  /// belongs to none.
  private func place(of scene: String, _ room: RoomID?, _ request: RequestContext) -> RoomID? {
    let isNamed = (try? request.captured("room")) != nil
    return isNamed || theater.plan.room(of: scene) == nil ? room : nil
  }

  private func sendCommand(_ request: RequestContext) async throws -> Response {
    let device = try device(request)
    let wait = request.preferredWait
    let isAsynchronous = wait.isAsynchronous || wait.seconds == 0
    let principal = try request.theaterPrincipal()
    // `cancelWhenGracefulShutdown` would wake a thread of the global executor for every command.
    let executor = ConnectionExecutor(request.context.channel.eventLoop)
    let command = Task(executorPreference: executor) {
      try await theater.perform(
        request.body, on: device.id, until: isAsynchronous ? .accepted : .settled,
        by: principal)
    }
    let confirmation = try await withTaskCancellationOrGracefulShutdownHandler {
      try await command.value
    } onCancelOrGracefulShutdown: {
      command.cancel()
    }
    var response = Response(confirmation)
    if isAsynchronous { response.status = .accepted }
    return response
  }

  private func swapPlugin(_ request: RequestContext) async throws -> Response {
    let device = try device(request)
    let fields = try request.fields()
    let choice = PluginChoice(
      plugin: try fields.requiredText("plugin"), options: try fields.object("options"),
      process: try fields.text("process"), isSaved: try fields.flag("save"))
    // The plugin is a program that may open any file or address of its options: an open session alone does not do.
    if choice.needsProof { try accountService.sessions.requireFreshProof(request.principal()) }
    let answer = try await configuration.swapPlugin(
      of: device.id, to: choice, by: request.theaterPrincipal())
    await accountService.audit.record(
      .pluginSwapped, by: try request.actor(),
      about: "\(device.id.name): \(choice.plugin)\(choice.isSaved ? ", saved" : "")")
    return Response(answer)
  }

  private func deviceLog(_ request: RequestContext) async throws -> Response {
    let name = JSON.string(try device(request).id.name)
    let plugins = await diagnostics.plugins()["plugins"]?.array ?? []
    let plugin = plugins.first { $0["devices"]?.array?.contains(name) == true }
    var answer: JSONObject = ["device": name, "lines": plugin?["log"] ?? []]
    answer["plugin"] = plugin?["id"]
    answer["status"] = plugin?["status"]
    answer["message"] = plugin?["message"]
    return Response(.object(answer))
  }

  private func device(_ request: RequestContext) throws -> any Device {
    let name = try request.captured("id")
    let visible = theater.devices(for: try request.theaterPrincipal())
    if let device = visible.first(where: { $0.id.name == name }) { return device }
    let names = visible.map(\.id.name)
    throw APIError(
      .notFound, "notFound", "there is no device \"\(name.quotation)\"",
      hint: nearest(to: name, in: names).map { "Did you mean \"\($0)\"?" }
        ?? "There is: \(listed(names.sorted())).")
  }

  private func json(_ device: any Device) async -> JSON {
    await device.snapshot().json(of: theater.description(of: device), now: theater.clock.now())
  }

  private func json(_ scene: Scene) -> JSON {
    var object = scene.json.object ?? [:]
    object["room"] = theater.plan.room(of: scene.name).map { .string($0.name) }
    return .object(object)
  }
}

extension PluginChoice {
  /// Whether the choice needs a fresh proof: every one but a swap to the simulated device, which drives nothing and
  /// opens nothing, as long as its options send no secret and the file stays as it is.
  fileprivate var needsProof: Bool {
    plugin != Self.simulated || isSaved || JSON.object(options ?? [:]).namesSecret
  }

  private static let simulated = "Simulated"
}

extension JSON {
  /// Whether options contain `{"secret": NAME}`.
  fileprivate var namesSecret: Bool {
    switch self {
    case .object(let object): object.contains { $0.key == "secret" || $0.value.namesSecret }
    case .array(let values): values.contains(where: \.namesSecret)
    default: false
    }
  }
}

extension CommandSpec {
  /// The command for the API: `{"name": "dim", "argument": "a whole number …", "help": …}`.
  fileprivate var json: JSON {
    var object: JSONObject = ["name": .string(name), "help": .string(help)]
    if let argument {
      object["argument"] = .string(argument.shape.expectation)
      object["argumentIsRequired"] = .bool(argument.isRequired)
    }
    if let capability { object["capability"] = .string(capability) }
    return .object(object)
  }
}

extension BodyFields {
  /// The arguments for the parameters of a scene; numbers as text.
  fileprivate func sceneArguments() throws(APIError) -> [String: String] {
    var arguments: [String: String] = [:]
    for (name, value) in try object("parameters") ?? [:] {
      switch value {
      case .string(let text): arguments[name] = text
      case .integer, .number: arguments[name] = value.text()
      default:
        throw .invalid("the parameter \"\(name.quotation)\" is \(value.kind), expected a text")
      }
    }
    return arguments
  }
}
