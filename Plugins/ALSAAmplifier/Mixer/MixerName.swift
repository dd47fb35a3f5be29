/// The mixer control that sets the volume, as the `mixer` option names it.
enum MixerName: Equatable {
  /// None: the volume is computed.
  case software
  /// A control of a card; without a name the card's first usual one.
  case hardware(card: String, control: String?)

  /// The controls that mean the whole output, in the order of preference.
  static let usual = ["Master", "PCM", "Digital", "Speaker", "Headphone", "Front"]

  /// Reads the option: `auto`, `software`, `CONTROL`, or `CARD/CONTROL` (`hw:0/Master`).
  init(option: String, device: String) {
    switch option {
    case "software": self = .software
    case "auto":
      self = Self.card(of: device).map { .hardware(card: $0, control: nil) } ?? .software
    default:
      // The last one: a card's arguments may be paths.
      if let slash = option.lastIndex(of: "/") {
        let control = String(option[option.index(after: slash)...])
        self = .hardware(
          card: String(option[..<slash]), control: control.isEmpty ? nil : control)
      } else {
        self = .hardware(card: Self.card(of: device) ?? "default", control: option)
      }
    }
  }

  /// Returns the card of a PCM's name; `nil` if the name shows none, or if the output is digital, so that a
  /// mixer would not act on it.
  static func card(of device: String) -> String? {
    if device == "default" || device == "pulse" || device == "pipewire" { return device }
    let parts = device.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let analogue: Set<Substring> = [
      "hw", "plughw", "sysdefault", "front", "dmix", "rear", "center_lfe", "side",
    ]
    guard analogue.contains(parts[0]) || parts[0].hasPrefix("surround") else { return nil }
    let arguments = parts[1].split(separator: ",")
    let named = arguments.first { $0.hasPrefix("CARD=") }?.dropFirst(5)
    guard let card = named ?? arguments.first, !card.isEmpty, !card.contains("=") else {
      return nil
    }
    return "hw:\(card)"
  }
}
