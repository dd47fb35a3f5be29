import Devices
import JSON

/// The name of an ALSA device: a PCM, or the card of a mixer.
///
/// ALSA's names are a small language, whose words also write files and start programs (`file`, `tee`, `plug:{…}`).
/// So a
/// name from outside reaches libasound, or a program that uses it, only in one of two forms: the identifier of a device
/// that the machine's ALSA configuration defines, without arguments; or a usual name of a card's device, whose
/// arguments
/// are numbers and identifiers.
package struct SoundDeviceName: Sendable, Hashable {
  /// The name.
  package let text: String

  /// The names that may have arguments.
  private static let families = [
    "hw", "plughw", "sysdefault", "front", "surround[0-9][0-9]", "iec958", "hdmi", "dmix",
  ]
  /// The most bytes of a name.
  package static let longest = 100
  /// The rule as a regular expression without anchors, for the options schemas in the manifests.
  package static let pattern =
    "([A-Za-z][A-Za-z0-9_-]*|(\(families.joined(separator: "|"))):[A-Za-z0-9_=,]+)"
  /// The valid names, for messages.
  package static let expected =
    "the name of a device in the ALSA configuration, such as \"default\", or one of a card, such as \"hw:0,0\" or "
    + "\"surround51:CARD=PCH\"; letters, digits, _ and -, at most \(longest) bytes"

  /// The device that the machine's ALSA configuration names for all programs.
  package static let standard = SoundDeviceName(trusted: "default")

  private init(trusted text: String) { self.text = text }

  /// Checks a name; `nil` unless it has one of the two forms.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.longest else { return nil }
    let parts = text.utf8.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
    let isValid =
      parts.count == 2
      ? Self.isFamily(parts[0]) && Self.areArguments(parts[1]) : Self.isIdentifier(parts[0])
    guard isValid else { return nil }
    self.text = text
  }

  private static func isIdentifier(_ bytes: Substring.UTF8View) -> Bool {
    guard let first = bytes.first, isLetter(first) else { return false }
    return bytes.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x5F || $0 == 0x2D }
  }

  private static func isFamily(_ bytes: Substring.UTF8View) -> Bool {
    let surround = "surround".utf8
    if bytes.count == surround.count + 2, bytes.starts(with: surround) {
      return bytes.suffix(2).allSatisfy(isDigit)
    }
    return families.contains { $0.utf8.elementsEqual(bytes) }
  }

  private static func areArguments(_ bytes: Substring.UTF8View) -> Bool {
    !bytes.isEmpty
      && bytes.allSatisfy {
        isLetter($0) || isDigit($0) || $0 == 0x5F || $0 == 0x3D || $0 == 0x2C
      }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension SoundDeviceName: CustomStringConvertible {
  package var description: String { text }
}

extension DeviceError {
  /// The error of lending a PCM whose name is no ``SoundDeviceName``.
  static func notLendable(_ name: String) -> DeviceError {
    DeviceError(
      .invalid, "the lent PCM is \"\(name.quotation)\", expected \(SoundDeviceName.expected)",
      hint: "Correct the option \"device\" of the amplifier.")
  }
}

extension OptionReader {
  /// Returns the name of an ALSA device; nil if the option is missing.
  package func soundDevice(_ key: String) throws(DeviceError) -> SoundDeviceName? {
    guard let text = try text(key) else { return nil }
    guard let name = SoundDeviceName(text) else {
      throw error(key, "is \"\(text.quotation)\", expected \(SoundDeviceName.expected)")
    }
    return name
  }
}
