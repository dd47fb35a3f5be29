import Devices
import JSON

/// The search for sound cards, in `/proc/asound`, with the mixers that the amplifier's plugin lists.
package struct SoundSearch: DeviceSearch {
  package let kind = DiscoveryKind.sound
  private let files: SystemFiles
  private let listing: @Sendable () async -> JSON?

  /// - Parameters:
  ///   - root: The folder that stands for `/`.
  ///   - listing: The answer of the plugin `ALSAAmplifier` to `--list-devices`; `nil` if there is none.
  package init(root: String = "", listing: @escaping @Sendable () async -> JSON? = { nil }) {
    files = SystemFiles(root: root)
    self.listing = listing
  }

  /// A card of `/proc/asound/cards`.
  struct Card: Hashable {
    let number: Int
    let id: String
    let title: String

    /// The card in the name of a PCM: its id, or its number if the id has a character that no such name may have.
    var name: String { id.contains("-") ? "\(number)" : id }
  }

  /// Reads the text of `/proc/asound/cards`; at most 32 cards.
  static func cards(_ text: String) -> [Card] {
    text.split(separator: "\n").prefix(128).compactMap { line -> Card? in
      guard let open = line.firstIndex(of: "["), let end = line[open...].firstIndex(of: "]"),
        let number = Int(line[..<open].filter { $0 != " " }), (0..<32).contains(number)
      else { return nil }
      let id = line[line.index(after: open)..<end].filter { $0 != " " }
      guard (1...32).contains(id.utf8.count),
        id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") })
      else { return nil }
      let rest = line[line.index(after: end)...]
      let title = rest.range(of: " - ").map { String(rest[$0.upperBound...]) } ?? String(id)
      return Card(
        number: number, id: String(id), title: title.boundedLine(maximumBytes: 80))
    }.prefix(32).map(\.self)
  }

  package func run() async -> DiscoveryResult {
    let cards = Self.cards(files.text("/proc/asound/cards") ?? "")
    guard !cards.isEmpty else { return DiscoveryResult() }
    let mixers = (await listing()?["mixers"]?.array ?? []).prefix(256)
      .compactMap { $0["name"]?.string }
    return DiscoveryResult(findings: cards.flatMap { findings($0, mixers: mixers) })
  }

  private func findings(_ card: Card, mixers: [String]) -> [DiscoveryFinding] {
    let folder = "/proc/asound/card\(card.number)"
    let devices = files.names(folder).compactMap { name -> Int? in
      guard name.hasPrefix("pcm"), name.hasSuffix("p") else { return nil }
      return Int(name.dropFirst(3).dropLast()).flatMap { (0..<64).contains($0) ? $0 : nil }
    }.sorted()
    let controls = mixers.filter { $0.hasPrefix("hw:\(card.number)/") }.map {
      String($0.drop { $0 != "/" }.dropFirst())
    }
    var digital = 0
    return devices.map { device in
      let info = Self.fields(files.text("\(folder)/pcm\(device)p/info") ?? "")
      let name = (info["name"] ?? info["id"] ?? "output \(device)").boundedLine(maximumBytes: 60)
      let pcm: String
      let isDigital =
        name.uppercased().contains("HDMI") || name.uppercased().contains("DISPLAYPORT")
      if isDigital {
        // The PCM `hdmi` numbers the digital outputs of a card from 0.
        pcm = "hdmi:CARD=\(card.name),DEV=\(digital)"
        digital += 1
      } else {
        pcm = "hw:CARD=\(card.name),DEV=\(device)"
      }
      let notes =
        controls.isEmpty || isDigital
        ? [] : ["Mixers for the option \"mixer\": \(controls.prefix(12).joined(separator: ", "))."]
      return DiscoveryFinding(
        .sound, id: "alsa:\(pcm)", title: "Sound card \(card.title), \(name)",
        place: "ALSA card \(card.number), device \(device)", roles: [.amplifier],
        plugin: "ALSAAmplifier", options: ["device": .string(pcm)], notes: notes)
    }
  }

  /// Returns the fields of a file with lines such as `name: ALC892 Analog`; values begin with a
  /// space.
  private static func fields(_ text: String) -> [String: String] {
    Dictionary(
      text.split(separator: "\n").prefix(64).compactMap { line in
        line.firstIndex(of: ":").map { colon in
          (String(line[..<colon]), String(line[line.index(after: colon)...]))
        }
      }, uniquingKeysWith: { first, _ in first })
  }
}

extension StringProtocol {
  /// Returns the first range of `text` in this text; `nil` if there is none.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) {
        return start..<index(start, offsetBy: text.count)
      }
      start = index(after: start)
    }
    return nil
  }
}
