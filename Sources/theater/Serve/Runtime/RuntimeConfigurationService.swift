import Devices
import HomeTheater
import JSON
import TheaterConfiguration
import WebServer

/// The configuration for the API.
extension TheaterRuntime: ConfigurationService {
  func check(_ text: [UInt8]) -> JSON {
    do {
      return ["problems": Self.json(try difference(to: text).warnings)]
    } catch {
      return ["problems": Self.json(error.problems)]
    }
  }

  func differenceAnswer(to text: [UInt8]?) -> JSON {
    do {
      let (difference, warnings) = try difference(to: text)
      return ["problems": Self.json(warnings), "changes": difference.json]
    } catch {
      return ["problems": Self.json(error.problems), "changes": []]
    }
  }

  func text() throws(TheaterError) -> [UInt8] { try presentText() }

  func save(
    _ text: [UInt8], replacing isBase: @escaping @Sendable ([UInt8]) -> Bool,
    by principal: Principal
  ) async throws(TheaterError) -> JSONObject {
    do {
      let (difference, warnings): (ConfigurationDifference, [ConfigurationIssue]) = try await save(
        text, replacing: isBase, by: principal)
      return ["problems": Self.json(warnings), "changes": difference.json]
    } catch let error as InvalidConfiguration {
      return ["problems": Self.json(error.problems)]
    } catch let error as TheaterError {
      throw error
    } catch {
      throw TheaterError(.notNow, "\(error)")
    }
  }

  func swapPlugin(
    of device: DeviceID, to choice: PluginChoice, by principal: Principal
  ) async throws -> JSON {
    let difference = try await swap(device, to: choice, by: principal)
    return [
      "device": .string(device.name), "plugin": .string(choice.plugin),
      "saved": .bool(swaps[device] == nil), "changes": difference.json,
    ]
  }

  var refusedEdit: JSON? {
    guard let refusal else { return nil }
    let errors = refusal.problems.filter { $0.severity == .error }
    var object: JSONObject = ["errors": .integer(errors.count)]
    if let first = errors.first { object["problem"] = first.json }
    return .object(object)
  }

  private static func json(_ problems: [ConfigurationIssue]) -> JSON {
    .array(problems.map(\.json))
  }
}
