import Devices

/// The controller itself: health, address, plugins, configuration, and this contract.
public enum SystemEndpoint: String, Endpoint {
  case health, openAPI, address, plugins, audioDevices, checkConfiguration
  case configurationDifference, compareConfiguration

  public static let title = "The controller"

  public var route: Route {
    switch self {
    case .health:
      Route(
        .get, "/health", .everyone, "Reports that the controller runs, and whether all plugins do.",
        answers: [200: .json(.reference(.health))])
    case .openAPI:
      Route(
        .get, "/openapi.json", .permitted(.view), "Returns the OpenAPI document of this API.",
        answers: [200: .json(.map(to: .anything))])
    case .address:
      Route(
        .get, "/address", .permitted(.view),
        "Shows the address for browsers and the fingerprint of the certificate, where known.",
        answers: [200: .json(.reference(.address))])
    case .plugins:
      Route(
        .get, "/plugins", .permitted(.operate),
        "Lists every plugin with its process and last log lines.",
        answers: [200: .json(.reference(.plugins))])
    case .audioDevices:
      Route(
        .get, "/audio", .permitted(.operate),
        "Lists the sound devices that the amplifier's plugin can use.",
        answers: [200: .json(.map(to: .anything))], errors: [404, 503])
    case .checkConfiguration:
      Route(
        .post, "/configuration/check", .permitted(.administer),
        "Validates the `devices.json` in the body; reports at most 100 errors and 100 warnings.",
        body: .text, answers: [200: .json(.reference(.configurationCheck))], errors: [507])
    case .configurationDifference:
      Route(
        .get, "/configuration/difference", .permitted(.administer),
        "Names what differs between the controller's `devices.json` and the configuration in force.",
        answers: [200: .json(.reference(.configurationDifference))])
    case .compareConfiguration:
      Route(
        .post, "/configuration/difference", .permitted(.administer),
        "Names what differs between the `devices.json` in the body and the configuration in force.",
        body: .text, answers: [200: .json(.reference(.configurationDifference))])
    }
  }
}
