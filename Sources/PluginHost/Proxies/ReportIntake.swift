import Devices
import JSON
import PluginProtocol

/// The way of a device's reports into its state: each is checked, and reports that come too fast are
/// merged and held back until there is room for them.
struct ReportIntake: Sendable {
  /// How long values that came too fast are gathered.
  static let gathering = Duration.milliseconds(100)

  private var check: ReportCheck
  private var limit = NotificationLimit()
  /// Values that came too fast: the newest of each key.
  private var heldBack: StateNotification?

  init(_ role: Role) { check = ReportCheck(role) }

  /// Whether reports wait for room.
  var isHoldingBack: Bool { heldBack != nil }

  /// Takes a report.
  ///
  /// - Parameter warn: Called with each warning that this report gives rise to.
  /// - Returns: What is now to be taken into the state; `nil` when there is nothing.
  mutating func take(_ report: StateNotification, at now: Duration, warn: (String) -> Void)
    -> StateNotification?
  {
    // Check the report before any of it is kept, so that held-back reports are bounded too.
    let report = check.accepted(report) { warn($0) }
    guard !report.isEmpty else { return nil }
    let merged = heldBack?.merged(with: report) ?? report
    guard limit.allows(at: now) else {
      if limit.shouldWarn() {
        warn(
          "its plugin reports more than \(Int(ProtocolLimits.reportsPerSecond)) times a second; "
            + "from now on only the newest values count")
      }
      heldBack = merged
      return nil
    }
    heldBack = nil
    return merged
  }

  /// Removes and returns what was held back, if there is room for it at `now`.
  mutating func takeHeldBack(at now: Duration) -> StateNotification? {
    guard heldBack != nil, limit.allows(at: now) else { return nil }
    return heldBack.take()
  }

  /// Makes room for what a command that was just sent will change.
  mutating func expectReports() { limit.expectReports() }
}

/// The check of all that one device reports, before anything of it is kept: the keys and values of its
/// role, and attributes up to their number and bytes. The rest is dropped, each kind of it with one
/// warning.
struct ReportCheck: Sendable {
  private let role: Role
  private let states: [StateSpec]
  /// The bytes of each attribute that is kept, or held back.
  private var attributeSizes: [String: Int] = [:]
  private var attributeBytes = 0
  /// The complaints already made. Their number is bounded by the kinds and keys.
  private var complaints: Set<Complaint> = []

  private enum Complaint: Hashable {
    case foreignKey
    case value(StateKey)
    case attributeValue
    case attributeRoom
  }

  init(_ role: Role) {
    self.role = role
    states = role.states
  }

  /// Returns `report` without what is dropped.
  ///
  /// - Parameter warn: Called with what was dropped, the first time for each kind.
  mutating func accepted(_ report: StateNotification, warn: (String) -> Void) -> StateNotification {
    // Most reports are kept as they are, at the cost of a look at each value.
    var values = report.values
    for (key, value) in report.values {
      if let spec = spec(of: key), let kept = Self.accepted(value, spec) {
        if key == .playback { values[key] = kept }
      } else {
        values.removeValue(forKey: key)
        complain(of: key, value, warn)
      }
    }
    let attributes =
      report.attributes.isEmpty ? [:] : accepted(report.attributes, warn)
    return StateNotification(
      device: report.device, values: values, provenance: report.provenance,
      attributes: attributes)
  }

  private func spec(of key: StateKey) -> StateSpec? { states.first { $0.key == key } }

  /// The value to keep for a key of the role; `nil` when it is out of range.
  private static func accepted(_ value: JSON, _ spec: StateSpec) -> JSON? {
    // Made anew, so that nothing is kept but the members of a playback.
    if spec.key == .playback { return Playback(value)?.bounded?.json }
    // Not `? value : nil`, which is the JSON `null`.
    guard spec.shape.admits(value) else { return nil }
    return value
  }

  private mutating func accepted(_ attributes: [String: Attribute], _ warn: (String) -> Void)
    -> [String: Attribute]
  {
    var kept: [String: Attribute] = [:]
    for (name, attribute) in attributes {
      let name = name.boundedLine(maximumBytes: ProtocolLimits.attributeName)
      guard let attribute = attribute.bounded else {
        complain(
          .attributeValue,
          "the attribute \"\(name)\" with a value of more than \(ProtocolLimits.attributeValue) "
            + "bytes", warn)
        continue
      }
      guard takeRoom(for: attribute, named: name) else {
        complain(
          .attributeRoom,
          "more than \(ProtocolLimits.attributes) attributes, or "
            + "\(ProtocolLimits.attributeBytes) bytes of them", warn)
        continue
      }
      kept[name] = attribute
    }
    return kept
  }

  /// Takes the room of an attribute, in place of the one that it had; false when there is not enough.
  private mutating func takeRoom(for attribute: Attribute, named name: String) -> Bool {
    let size = attribute.byteCount(name: name)
    let before = attributeSizes[name]
    guard before != nil || attributeSizes.count < ProtocolLimits.attributes,
      attributeBytes - (before ?? 0) + size <= ProtocolLimits.attributeBytes
    else { return false }
    attributeSizes[name] = size
    attributeBytes += size - (before ?? 0)
    return true
  }

  // MARK: Complaints

  private mutating func complain(
    of key: StateKey, _ value: JSON, _ warn: (String) -> Void
  ) {
    guard let spec = spec(of: key) else {
      let title = role.title
      return complain(.foreignKey, "\"\(key.rawValue)\", which is no state of \(title)", warn)
    }
    guard !complaints.contains(.value(key)) else { return }
    let found =
      switch value {
      case .array, .object: value.kind
      case .null, .bool, .integer, .number, .string:
        value.text().boundedLine(maximumBytes: 60)
      }
    complain(.value(key), "\(key.rawValue) \(found), expected \(spec.shape.expectation)", warn)
  }

  private mutating func complain(
    _ complaint: Complaint, _ what: String, _ warn: (String) -> Void
  ) {
    guard complaints.insert(complaint).inserted else { return }
    warn("its plugin reports \(what); such reports are dropped. Tell the plugin's author")
  }
}

extension Capabilities {
  /// These capabilities as far as a device of `role` can have them, and each kind of cable once.
  func bounded(for role: Role) -> Capabilities {
    var kinds: [CableKind] = []
    for kind in cables where !kinds.contains(kind) { kinds.append(kind) }
    return Capabilities(
      names: names.intersection(role.capabilities), reportsState: reportsState, cables: kinds)
  }
}

extension StateNotification {
  /// Whether it tells nothing.
  var isEmpty: Bool { values.isEmpty && attributes.isEmpty }

  /// Both in one: of each key the newer value.
  fileprivate func merged(with newer: StateNotification) -> StateNotification {
    StateNotification(
      device: device, values: values.merging(newer.values) { $1 }, provenance: newer.provenance,
      attributes: attributes.merging(newer.attributes) { $1 })
  }
}
