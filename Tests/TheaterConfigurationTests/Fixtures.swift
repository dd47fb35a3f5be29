import Devices
import Foundation
import HomeTheater
import JSON
import PluginProtocol

@testable import TheaterConfiguration

/// Plugins that exist only here: with a required option, secrets, paths and every kind of cable.
enum Fixtures {
  static let plugins = KnownPlugins([pretend, speaker, projectorOnly])

  /// Every role; sends over `pcm`.
  static let pretend = Manifest(
    id: "Pretend", version: "1.0", command: ["./Pretend"],
    roles: Dictionary(
      uniqueKeysWithValues: Role.allCases.map { role in
        (
          role,
          Manifest.RoleOffer(
            options: [
              "type": "object",
              "properties": [
                "speed": ["type": "number", "minimum": 0, "maximum": 100, "default": 1],
                "faults": [
                  "type": "object",
                  "properties": ["refuses": ["type": "array", "items": ["type": "string"]]],
                ],
              ],
            ],
            cables: Role.sources.contains(role) || role == .amplifier ? [.pcm] : [])
        )
      }))

  /// An amplifier and a player with many kinds of options.
  static let speaker = Manifest(
    id: "Speaker", version: "1.0", command: ["./Speaker"],
    roles: [
      .amplifier: Manifest.RoleOffer(
        options: [
          "type": "object", "required": ["device"],
          "properties": [
            "device": ["type": "string", "pattern": "^[a-z]+(:[0-9]+)?$", "title": "Sound device"],
            "whenMissing": ["enum": ["fail", "silent"], "default": "fail"],
            "buffer": ["type": "integer", "minimum": 20, "maximum": 500, "default": 100],
            "quiet": ["type": "boolean"],
            "password": ["type": "string"],
            "impulse": ["type": "string", "format": "path"],
            "extras": speakerExtras,
          ],
        ], cables: [.alsa, .pcm]),
      .cdPlayer: Manifest.RoleOffer(cables: [.alsa]),
    ])

  static let speakerExtras: JSON = [
    "type": "array",
    "items": [
      "type": "object", "required": ["key"],
      "properties": [
        "key": ["type": ["string", "null"]], "weight": ["type": "number", "default": 0.5],
      ],
    ],
  ]

  /// A player whose cable fits no amplifier.
  static let projectorOnly = Manifest(
    id: "Wired", version: "1.0", command: ["./Wired"],
    roles: [.dvdPlayer: Manifest.RoleOffer(cables: [.wired]), .projector: Manifest.RoleOffer()])

  /// The example of the design, a little longer: everything that a configuration can have.
  static let whole = """
    { "$schema": "devices.schema.json",
      "pluginFolders": ["more-plugins"],
      "devices": {
        "amp":    {"role": "amplifier", "plugin": "Speaker", "options": {"device": "hw:1", "extras": [{"key": "a"}, {"key": null, "weight": 2}]}},
        "dvd":    {"role": "dvdPlayer", "plugin": "Pretend", "process": "discs"},
        "cd":     {"role": "cdPlayer", "plugin": "Pretend", "options": {"speed": 2.5, "faults": {"refuses": ["eject"]}}},
        "tuner":  {"role": "tuner", "plugin": "Pretend"},
        "lights": {"role": "lights", "plugin": "Pretend"},
        "screen": {"role": "screen", "plugin": "Pretend"},
        "popper": {"role": "popcornPopper", "plugin": "Pretend"} },
      "cables": [{"from": "dvd", "to": "amp", "input": "dvd"}, {"from": "cd", "to": "amp", "input": "cd"}],
      "scenes": {
        "watch-film": {
          "title": "Watch",
          "parameters": {"film": "film"},
          "steps": [
            {"popper": "pop", "onFailure": "continue"},
            {"lights": {"dim": 10}, "always": true}, {"screen": "down", "until": "accepted"},
            {"amp": {"input": "dvd"}}, {"amp": {"volume": 50}},
            {"dvd": {"play": {"item": "$film", "position": 1.5}}}, {"dvd": "play"} ] },
        "quiet": { "parameters": {"level": "number", "name": "text"}, "steps": [
            {"amp": {"volume": "$level"}}, {"amp": {"input": "$name"}}, {"tuner": {"fm": 98.5}},
            {"tuner": "am"}, {"cd": {"seek": 12}}] },
        "listen": { "parameters": {"station": "station"}, "steps": [{"tuner": {"station": "$station"}}] },
        "evening": {"steps": [
            {"parallel": [{"lights": {"dim": 40}}, [{"screen": "down"}, {"wait": "1.5 s"}]], "onFailure": "continue"},
            {"amp": ["on", {"volume": 20}]}, {"sequence": [{"wait": "1.5 min"}]}] },
        "end": {"steps": []} },
      "activities": {
        "film": {"title": "Film", "start": "watch-film", "end": "end", "player": "dvd", "whenEnded": "stay", "whenFailed": "90 s", "endsWithout": ["dvd", "amp"]},
        "radio": {"start": "listen", "end": "end", "player": "tuner", "amplifier": "amp", "category": "stations"} },
      "web": {"host": "0.0.0.0", "port": 8443, "hosts": ["tv.example"],
        "tls": {"certificate": "tls/chain.pem", "key": "~/key.pem"}, "eventStreams": 500},
      "library": {
        "films": [{"id": "ferry", "title": "Night Ferry", "duration": 120.5, "player": "dvd", "rating": 12}],
        "songs": [{"id": "bus", "title": "First Bus", "artist": "The Sine Waves", "album": "Plain Tones"}],
        "stations": [{"title": "Lantern", "fm": 98.5}, {"id": "v", "title": "Valley", "am": 810, "player": "tuner"}],
        "folders": ["Samples/Music", "/srv/music", "../other", "~/Music"] } }
    """

  static let origin = PathOrigin(folder: "/etc/theater", home: "/home/ada")

  /// Reads a configuration with the plugins of this file.
  static func read(
    _ text: String, plugins: KnownPlugins = plugins,
    secrets: some SecretSource = PocketSecrets(texts: [:])
  ) throws(InvalidConfiguration) -> TheaterConfiguration {
    try .read(text.utf8, named: "devices.json", from: origin, plugins: plugins, secrets: secrets)
  }

  /// The mistakes of a configuration.
  static func problems(
    _ text: String, plugins: KnownPlugins = plugins,
    secrets: some SecretSource = PocketSecrets(texts: [:])
  ) -> [ConfigurationIssue] {
    do {
      return try read(text, plugins: plugins, secrets: secrets).warnings
    } catch {
      return error.problems
    }
  }

  /// The whole example with one piece of text exchanged for another.
  static func whole(_ old: String, _ new: String) -> String {
    precondition(whole.contains(old), "the example has no \(old)")
    return whole.replacingOccurrences(of: old, with: new)
  }
}

/// Secrets that are kept in memory.
struct PocketSecrets: SecretSource {
  var texts: [String: String]

  func secret(_ name: String) throws(SecretError) -> Secret {
    guard let text = texts[name] else {
      throw SecretError("the secret \"\(name)\" is missing", hint: "Write it down.")
    }
    return Secret(name: name, text: text)
  }
}
