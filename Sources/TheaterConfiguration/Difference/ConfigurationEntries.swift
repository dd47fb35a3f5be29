import Devices
import HomeTheater
import JSON
import Scenes

/// The entries of a configuration by section and name, each as values by key, for comparison alone.
///
/// The values hold the texts of secrets: they are never shown.
struct ConfigurationEntries {
  typealias Values = [String: AnyHashable]
  private let sections: [ConfigurationDifference.Section: [String?: Values]]

  init(_ configuration: TheaterConfiguration) {
    let plan = configuration.plan
    sections = [
      .pluginFolders: [nil: ["folders": configuration.pluginFolders]],
      .devices: Self.named(
        configuration.devices.map { device in
          let values = Self.values(of: device)
            .merging(Self.values(of: plan.devices.first { $0.id == device.id })) { $1 }
          return (device.id.name, values)
        }),
      .groups: Self.named(
        plan.groups.map { group in
          let devices: Values = ["devices": group.devices]
          return (group.name, devices.merging(Self.values(of: group.label)) { $1 })
        }),
      .rooms: Self.named(
        plan.rooms.map { room in
          let devices: Values = ["devices": room.devices]
          return (room.id.name, devices.merging(Self.values(of: room.label)) { $1 })
        }),
      .cables: Self.named(
        plan.cables.map {
          ($0.from.name, ["to": $0.to, "input": $0.input, "level": $0.level])
        }),
      .scenes: Self.named(
        plan.scenes.map { name, scene in
          var values = Self.values(of: scene)
          values["room"] = plan.sceneRooms[name]
          return (name, values)
        }),
      .activities: Self.named(plan.activities.map { ($0.key, Self.values(of: $0.value)) }),
      .library: Self.values(of: plan.library),
      .accounts: [nil: Self.values(of: configuration.accounts)],
      .web: [nil: Self.values(of: configuration.web)],
    ]
  }

  /// The entries of a section; those of the section as a whole have no name.
  subscript(section: ConfigurationDifference.Section) -> [String?: Values] {
    sections[section] ?? [:]
  }

  private static func named(_ entries: [(String, Values)]) -> [String?: Values] {
    Dictionary(entries.map { ($0.0 as String?, $0.1) }, uniquingKeysWith: { first, _ in first })
  }

  private static func values(of device: DeviceBinding) -> Values {
    var values: Values = ["role": device.role, "plugin": device.plugin]
    values["process"] = device.process
    return values.merging(self.values(of: device.options, at: "options")) { first, _ in first }
  }

  private static func values(of scene: Scene) -> Values {
    let values: Values = ["parameters": scene.parameters, "steps": scene.steps]
    return values.merging(self.values(of: scene.label)) { $1 }
  }

  private static func values(of label: Label) -> Values {
    var values: Values = [:]
    values["title"] = label.title
    values["icon"] = label.icon
    values["area"] = label.area
    return values
  }

  /// The label of a device, and those of its inputs.
  private static func values(of device: DevicePlan?) -> Values {
    guard let device else { return [:] }
    var values = values(of: device.label)
    for input in device.inputs {
      for (key, value) in self.values(of: input.label) {
        values["inputs.\(input.name).\(key)"] = value
      }
    }
    return values
  }

  private static func values(of activity: Activity) -> Values {
    var values: Values = [
      "start": activity.start, "end": activity.end, "whenEnded": activity.whenEnded,
      "whenFailed": activity.whenFailed, "endsWithout": activity.endsWithout,
    ]
    values["room"] = activity.room
    values["player"] = activity.player
    values["amplifier"] = activity.amplifier
    values["category"] = activity.category
    return values.merging(self.values(of: activity.label)) { $1 }
  }

  /// The items by list and id, and the folders; the order of a list does not count.
  private static func values(of library: LibraryPlan) -> [String?: Values] {
    var entries: [String?: Values] = ["folders": ["folders": library.folders]]
    for (list, items) in [
      ("films", library.films), ("songs", library.songs), ("stations", library.stations),
    ] {
      for item in items { entries["\(list).\(item.id)"] = values(of: item) }
    }
    return entries
  }

  private static func values(of item: LibraryItem) -> Values {
    var values: Values = ["title": item.title]
    values["artist"] = item.artist
    values["album"] = item.album
    values["duration"] = item.duration
    values["rating"] = item.rating
    values["player"] = item.player
    values["frequency"] = item.frequency
    return values
  }

  private static func values(of accounts: AccountSettings) -> Values {
    ["demo": accounts.isDemo as AnyHashable, "rules": accounts.rules]
      .merging(values(of: accounts.delivery, at: "delivery")) { first, _ in first }
  }

  private static func values(of web: WebSettings) -> Values {
    var values: Values = ["hosts": web.hosts]
    values["host"] = web.host
    values["port"] = web.port
    values["tls"] = web.tls
    values["eventStreams"] = web.eventStreams
    return values
  }

  /// The value at each place in `options`: `options.device`, `delivery.email.password`. A list counts as
  /// one value, and so does a secret, with its name and its text.
  private static func values(of options: DeviceOptions, at key: String) -> Values {
    values(of: options.written, revealed: options.revealed(), at: key)
  }

  private static func values(of written: JSON, revealed: JSON, at key: String) -> Values {
    var values: Values = [:]
    for (name, value) in written.object ?? [:] {
      let place = "\(key).\(name)"
      let text = revealed[name] ?? .null
      // A secret is an object that stands for a text.
      if let object = value.object, !object.isEmpty, text.object != nil {
        values.merge(self.values(of: value, revealed: text, at: place)) { first, _ in first }
      } else {
        values[place] = [value, text]
      }
    }
    return values
  }
}
