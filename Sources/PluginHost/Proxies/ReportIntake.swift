import Devices
import JSON
import PluginProtocol

/// Checks and rate-limits the reports of a device. Reports above the limit are merged and delayed.
struct ReportIntake: Sendable {
  /// The delay of reports above the limit.
  static let gathering = Duration.milliseconds(100)

  private var check: ReportCheck
  private var limit = NotificationLimit()
  /// The delayed values, the newest of each key: at most one report of each provenance.
  private var delayed: [StateNotification] = []

  init(_ role: Role) { check = ReportCheck(role) }

  /// Whether reports are delayed by the rate limit.
  var hasDelayedReports: Bool { !delayed.isEmpty }

  /// Checks a report, and delays it if it is above the rate limit.
  ///
  /// - Parameter warn: Called with each warning about this report.
  /// - Returns: The reports to apply to the state now, in this order.
  mutating func accept(_ report: StateNotification, at now: Duration, warn: (String) -> Void)
    -> [StateNotification]
  {
    // Check the report before any of it is kept, so that delayed reports are bounded too.
    let kept = check.filtered(report) { warn($0) }
    let parts = [kept, check.unknownValues(in: report, except: kept)].filter { !$0.isEmpty }
    guard !parts.isEmpty else { return [] }
    let isAllowed = limit.allows(at: now)
    if isAllowed, delayed.isEmpty { return parts }
    if !isAllowed, limit.shouldWarn() {
      warn(
        "its plugin reports more than \(Int(ProtocolLimits.reportsPerSecond)) times a second; "
          + "from now on only the newest values count")
    }
    for part in parts { delay(part) }
    return isAllowed ? removeAllDelayed() : []
  }

  /// Removes and returns the delayed reports, if the limit allows them at `now`.
  mutating func removeDelayed(at now: Duration) -> [StateNotification] {
    guard !delayed.isEmpty, limit.allows(at: now) else { return [] }
    return removeAllDelayed()
  }

  private mutating func removeAllDelayed() -> [StateNotification] {
    defer { delayed = [] }
    return delayed
  }

  /// Merges a report with the delayed one of the same provenance. Its values replace delayed values
  /// of the same keys, whatever their provenance.
  private mutating func delay(_ report: StateNotification) {
    var report = report
    delayed = delayed.compactMap { older in
      guard older.provenance == report.provenance else { return older.without(report) }
      report = older.merged(with: report)
      return nil
    }
    delayed.append(report)
  }

  /// Raises the limit for the reports that follow a command.
  mutating func expectReports() { limit.expectReports() }
}

/// Checks each report of a device before it is kept: the keys and values of its role, and the
/// number and bytes of its attributes. Other values are dropped, with one warning for each kind. A number out of range
/// makes the value unknown.
struct ReportCheck: Sendable {
  private let role: Role
  private let states: [StateSpec]
  /// The bytes of each attribute that is kept or delayed.
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

  /// Returns `report` without the values that are dropped.
  ///
  /// - Parameter warn: Called with a warning about the dropped values, once for each kind.
  mutating func filtered(_ report: StateNotification, warn: (String) -> Void) -> StateNotification {
    // Most reports are kept unchanged after one check of each value.
    var values = report.values
    for (key, value) in report.values {
      if let spec = spec(of: key), let kept = Self.validated(value, spec) {
        if key == .playback { values[key] = kept }
      } else {
        values.removeValue(forKey: key)
        warnOnce(of: key, value, warn)
      }
    }
    let attributes =
      report.attributes.isEmpty ? [:] : filtered(report.attributes, warn)
    return StateNotification(
      device: report.device, values: values, provenance: report.provenance,
      attributes: attributes)
  }

  /// Returns a report that makes the values unknown which `report` gives as numbers out of range: they say that the
  /// device does not know them. Its values are null.
  ///
  /// - Parameter kept: The values of `report` that are kept.
  func unknownValues(
    in report: StateNotification, except kept: StateNotification
  ) -> StateNotification {
    let unknown = report.values.filter { key, value in
      kept.values[key] == nil && value.number != nil && spec(of: key) != nil
    }
    return StateNotification(
      device: report.device, values: unknown.mapValues { _ in .null }, provenance: .unknown,
      attributes: [:])
  }

  private func spec(of key: StateKey) -> StateSpec? { states.first { $0.key == key } }

  /// The value to keep for a key of the role; `nil` when it is out of range.
  private static func validated(_ value: JSON, _ spec: StateSpec) -> JSON? {
    // Built again, so that only the members of a playback are kept.
    if spec.key == .playback { return Playback(value)?.bounded?.json }
    // Not `? value : nil`, which is the JSON `null`.
    guard spec.shape.admits(value) else { return nil }
    return value
  }

  private mutating func filtered(_ attributes: [String: Attribute], _ warn: (String) -> Void)
    -> [String: Attribute]
  {
    var kept: [String: Attribute] = [:]
    for (name, attribute) in attributes {
      let name = name.boundedLine(maximumBytes: ProtocolLimits.attributeName)
      guard let attribute = attribute.bounded else {
        warnOnce(
          .attributeValue,
          "the attribute \"\(name)\" with a value of more than \(ProtocolLimits.attributeValue) "
            + "bytes", warn)
        continue
      }
      guard reserveBytes(for: attribute, named: name) else {
        warnOnce(
          .attributeRoom,
          "more than \(ProtocolLimits.attributes) attributes, or "
            + "\(ProtocolLimits.attributeBytes) bytes of them", warn)
        continue
      }
      kept[name] = attribute
    }
    return kept
  }

  /// Replaces the size of an attribute in the budget. Returns false if that would exceed the
  /// budget.
  private mutating func reserveBytes(for attribute: Attribute, named name: String) -> Bool {
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

  private mutating func warnOnce(
    of key: StateKey, _ value: JSON, _ warn: (String) -> Void
  ) {
    guard let spec = spec(of: key) else {
      let title = role.title
      return warnOnce(.foreignKey, "\"\(key.rawValue)\", which is no state of \(title)", warn)
    }
    guard !complaints.contains(.value(key)) else { return }
    let found =
      switch value {
      case .array, .object: value.kind
      case .null, .bool, .integer, .number, .string:
        value.text().boundedLine(maximumBytes: 60)
      }
    warnOnce(.value(key), "\(key.rawValue) \(found), expected \(spec.shape.expectation)", warn)
  }

  private mutating func warnOnce(
    _ complaint: Complaint, _ what: String, _ warn: (String) -> Void
  ) {
    guard complaints.insert(complaint).inserted else { return }
    warn("its plugin reports \(what); such values are dropped. Tell the plugin's author")
  }
}

extension Capabilities {
  /// These capabilities, limited to those of `role`, with each kind of cable once.
  func bounded(for role: Role) -> Capabilities {
    var kinds: [CableKind] = []
    for kind in cables where !kinds.contains(kind) { kinds.append(kind) }
    return Capabilities(
      names: names.intersection(role.capabilities), reportsState: reportsState, cables: kinds)
  }
}

extension StateNotification {
  /// Whether it has neither values nor attributes.
  var isEmpty: Bool { values.isEmpty && attributes.isEmpty }

  /// Merges two notifications: of each key the newer value counts.
  fileprivate func merged(with newer: StateNotification) -> StateNotification {
    StateNotification(
      device: device, values: values.merging(newer.values) { $1 }, provenance: newer.provenance,
      attributes: attributes.merging(newer.attributes) { $1 })
  }

  /// Returns this notification without the values and attributes that a newer one replaces; `nil`
  /// if none remain.
  fileprivate func without(_ newer: StateNotification) -> StateNotification? {
    let rest = StateNotification(
      device: device, values: values.filter { newer.values[$0.key] == nil },
      provenance: provenance,
      attributes: attributes.filter { newer.attributes[$0.key] == nil })
    return rest.isEmpty ? nil : rest
  }
}
