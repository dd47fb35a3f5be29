import Devices
import HomeTheater
import HTTPTypes
import Hummingbird
import JSON
import ServiceLifecycle

extension APIServices {
  /// Every device by itself.
  var deviceRoutes: [Route] {
    [
      .get("/api/v1/devices", "Every device with its state.") { _ in
        var devices: [JSON] = []
        for device in theater.devices.values.sorted(by: { $0.id < $1.id }) {
          devices.append(await json(device))
        }
        return Response(["devices": .array(devices)])
      },
      .get("/api/v1/devices/{id}", "One device with its state and its commands.") { call in
        let device = try device(call)
        guard var object = await json(device).object else {
          return Response(status: .internalServerError)
        }
        object["commands"] = .array(device.role.commands.map(\.json))
        return Response(.object(object))
      },
      .post(
        // What each command needs says its row in the table of commands.
        "/api/v1/devices/{id}/commands", by: .permitted(.play),
        "Gives a device a command: \"on\" or {\"dim\": 40}."
      ) { call in
        let device = try device(call)
        let wait = call.preferredWait
        let atOnce = wait.isAsynchronous || wait.seconds == 0
        let principal = try call.theaterPrincipal()
        let confirmation = try await cancelWhenGracefulShutdown {
          try await theater.perform(
            call.body, on: device.id, until: atOnce ? .accepted : .settled, by: principal)
        }
        var response = Self.done(confirmation)
        if atOnce { response.status = .accepted }
        return response
      },
    ]
  }

  private func device(_ call: RequestContext) throws -> any Device {
    let name = try call.captured("id")
    if let device = theater.devices[DeviceID(name)] { return device }
    let names = theater.devices.keys.map(\.name)
    throw APIError(
      .notFound, "notFound", "there is no device \"\(name.quotation)\"",
      hint: nearest(to: name, in: names).map { "Did you mean \"\($0)\"?" }
        ?? "There is: \(listed(names.sorted())).")
  }

  private func json(_ device: any Device) async -> JSON {
    await device.snapshot().json(id: device.id, role: device.role, now: theater.clock.now())
  }
}

extension CommandSpec {
  /// The command for the API: `{"name": "dim", "argument": "a whole number …", "help": …}`.
  var json: JSON {
    var object: JSONObject = ["name": .string(name), "help": .string(help)]
    if let argument {
      object["argument"] = .string(argument.shape.expectation)
      object["argumentIsRequired"] = .bool(argument.isRequired)
    }
    if let capability { object["capability"] = .string(capability) }
    return .object(object)
  }
}
