import Devices

/// The controller itself: health, address, plugins, configuration, and this contract.
public enum SystemEndpoint: String, Endpoint {
  case health, openAPI, address, plugins, audioDevices, doctor, discovery
  case configuration, saveConfiguration, checkConfiguration, configurationDifference
  case compareConfiguration, saveSecret

  public static let title = "The controller"

  public var route: Route {
    switch self {
    case .health:
      Route(
        .get, "/health", .everyone,
        "Reports that the controller runs, whether all plugins do, and what an entrance offers.",
        answers: [200: .json(.reference(.health))])
    case .openAPI:
      Route(
        .get, "/openapi.json", .permitted(.view, tokens: .view),
        "Returns the OpenAPI document of this API.",
        answers: [200: .json(.map(to: .anything))])
    case .address:
      Route(
        .get, "/address", .permitted(.view, tokens: .view),
        "Shows the address for browsers and, where known, the certificate's fingerprint, expiry date and issuer.",
        answers: [200: .json(.reference(.address))])
    case .plugins:
      Route(
        .get, "/plugins", .permitted(.operate, tokens: .everything),
        "Lists every plugin with its process and last log lines.",
        answers: [200: .json(.reference(.plugins))])
    case .audioDevices:
      Route(
        .get, "/audio", .permitted(.operate, tokens: .everything),
        "Lists the sound devices that the amplifier's plugin can use.",
        answers: [200: .json(.map(to: .anything))], errors: [404, 503])
    case .doctor:
      Route(
        .get, "/doctor", .permitted(.administer, tokens: .everything),
        "Checks this machine and the controller as `theater doctor` does: sound, folders, backups, "
          + "configuration, plugins, certificate and devices. Simultaneous requests share one run.",
        answers: [200: .json(.reference(.doctorReport))])
    case .discovery:
      Route(
        .post, "/discovery", .permitted(.administer, tokens: .everything),
        "Searches the network and the controller's machine for devices, and writes the entry of each finding for "
          + "`devices.json`; one search at a time, at most a minute. A `broker` needs a fresh proof, since the "
          + "controller connects to it. Changes nothing.",
        body: .json(
          .request(optional: [
            "only": .list(of: .words(DiscoveryWords.kinds), count: 0...DiscoveryWords.kinds.count)
              .described("The kinds of search; all of them without it."),
            "timeout": .integer(DiscoveryWords.seconds).described(
              "How long to wait for answers, in seconds; 3 without it."),
            "broker": .text(1...300).described(
              "The MQTT broker, `HOST` or `HOST:PORT`; that of the machine without it."),
            "tls": .boolean.described(
              "Whether the connection to `broker` is encrypted; the port is 8883 then."),
            "caFile": .text(1...1000).described(
              "With `tls`: the path of a PEM file on the controller's machine with the authorities to trust; those of "
                + "the system without it."),
            "user": .text(1...256).described("The user at `broker`."),
            "password": .text(0...1000).described(
              "The user's password, for this search alone: it is neither kept nor logged."),
            "secret": .name.described("The name of the controller's secret with the password."),
          ])),
        answers: [200: .json(.reference(.discovery))], errors: [409])
    case .configuration:
      Route(
        .get, "/configuration", .permitted(.administer, tokens: .everything),
        "Returns the text of `devices.json` and its hash.",
        answers: [200: .json(.reference(.configurationFile))], errors: [409])
    case .saveConfiguration:
      Route(
        .put, "/configuration", .permitted(.administer, tokens: .never),
        "Replaces the text of `devices.json` and applies it as a whole; needs a fresh proof. Refuses a text with mistakes "
          + "(422, with all of them in `problems`), and a text that was not made from the present "
          + "version (409).",
        body: .text,
        parameters: [
          .init(
            name: "If-Match", place: .header, isRequired: true, schema: .text(0...200),
            help: "The hash of the version from which the text was made, in quotation marks.")
        ],
        answers: [200: .json(.reference(.savedConfiguration))], errors: [409, 428])
    case .checkConfiguration:
      Route(
        .post, "/configuration/check", .permitted(.administer, tokens: .everything),
        "Validates the `devices.json` in the body; reports at most 100 errors and 100 warnings.",
        body: .text, answers: [200: .json(.reference(.configurationCheck))], errors: [507])
    case .configurationDifference:
      Route(
        .get, "/configuration/difference", .permitted(.administer, tokens: .everything),
        "Names what differs between the controller's `devices.json` and the configuration in force.",
        answers: [200: .json(.reference(.configurationDifference))])
    case .compareConfiguration:
      Route(
        .post, "/configuration/difference", .permitted(.administer, tokens: .everything),
        "Names what differs between the `devices.json` in the body and the configuration in force.",
        body: .text, answers: [200: .json(.reference(.configurationDifference))])
    case .saveSecret:
      Route(
        .put, "/secrets/{name}", .permitted(.administer, tokens: .never),
        "Saves the text that options name with `{\"secret\": NAME}`, in place of an earlier one; needs a fresh proof. "
          + "No route returns it. A device that uses it gets it when it is opened the next time.",
        body: .json(.request(["text": .text(1...1000)])), answers: [204: .empty],
        errors: [409, 507])
    }
  }
}

/// The words and bounds of `POST /discovery`.
public enum DiscoveryWords {
  /// The kinds of search.
  public static let kinds = ["projectors", "mqtt", "sound", "drives", "displays", "folders"]
  /// The limits of the time to wait for answers, in seconds.
  public static let seconds = 1...25
}
