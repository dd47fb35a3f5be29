import Accounts
import Devices
import HomeTheater
import Hummingbird
import JSON
import Scenes

extension APIServices {
  /// Scenes by themselves, and the runs of scenes.
  var sceneRoutes: [Route] {
    [
      .get("/api/v1/scenes", "Every scene with its parameters and steps.") { _ in
        let scenes = theater.plan.scenes.values.sorted { $0.name < $1.name }
        return Response(["scenes": .array(scenes.map(\.json))])
      },
      .post(
        "/api/v1/scenes/{name}/runs", "Runs a scene: {\"parameters\": {\"film\": \"Metropolis\"}}."
      ) { call in
        let name = try call.captured("name")
        let arguments = try Self.arguments(try call.fields("parameters"))
        let principal = try call.theaterPrincipal()
        return try await answer(call) {
          try await theater.runScene(name, arguments: arguments, by: principal)
        }
      },
      .get("/api/v1/runs/{id}", "How a run stands, step by step.") { call in
        let run = try await theater.run(
          id: try call.captured("id"), by: call.theaterPrincipal())
        return Response(await ended(run, for: call.preferredWait).json)
      },
    ]
  }

  private static func arguments(_ fields: BodyFields) throws(APIError) -> [String: String] {
    guard let value = fields["parameters"] else { return [:] }
    guard let object = value.object else {
      throw .invalid("\"parameters\" is \(value.kind), expected an object")
    }
    var arguments: [String: String] = [:]
    for (name, value) in object {
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

extension Scene {
  /// The scene for the API.
  var json: JSON {
    var object: JSONObject = ["name": .string(name)]
    if let title { object["title"] = .string(title) }
    object["parameters"] = .object(
      JSONObject(
        parameters.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value.rawValue)) }))
    object["steps"] = .array(steps.map(\.json))
    return .object(object)
  }
}

extension Step {
  /// The step for the API: `{"device": "lights", "command": {"dim": 10}}`.
  var json: JSON {
    let command: JSON =
      switch command {
      case .fixed(let command): command.json
      case .template(let name, let argument, _): .object([name: argument])
      }
    return ["device": .string(device.name), "command": command]
  }
}
