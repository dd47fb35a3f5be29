import Glibc

/// Checks this machine's sound: cards, permissions, and the processes that hold a PCM.
struct SoundCheck {
  /// The folder that holds `/proc` and `/dev`; tests use one of their own.
  var root = ""
  /// Whether this user may read and write a file.
  var mayWrite: (String) -> Bool = { access($0, R_OK | W_OK) == 0 }

  /// All findings.
  func findings() -> [Finding] {
    let cards = cards()
    guard !cards.isEmpty else {
      return [
        .notice(
          "sound card", "this machine shows none",
          remedy: "Plug one in, or play through a sound server: set the amplifier's \"device\" to "
            + "\"pulse\". With \"whenMissing\": \"silent\" everything runs unheard.")
      ]
    }
    return [
      .good("sound card", cards.joined(separator: "; ")), permissionFinding(), holderFinding(),
    ]
  }

  /// One line for each card: `0 [PCH]: HDA Intel PCH`.
  private func cards() -> [String] {
    text("/proc/asound/cards").split(separator: "\n")
      .map { $0.drop { $0 == " " } }
      .filter { $0.first?.isNumber == true && $0.contains("[") }
      .map { $0.split(separator: " ").joined(separator: " ") }
  }

  private func permissionFinding() -> Finding {
    let pcms = entries("/dev/snd").filter { $0.hasPrefix("pcm") && $0.hasSuffix("p") }.sorted()
    guard let pcm = pcms.first else {
      return .bad(
        "rights", "there is a card, but nothing in /dev/snd to play on",
        remedy: "In a container, pass it in: --device /dev/snd")
    }
    if mayWrite("\(root)/dev/snd/\(pcm)") {
      return .good("rights", "this user may play on \(pcms.count) PCMs")
    }
    return .bad(
      "rights", "this user may not open /dev/snd/\(pcm)",
      remedy: "sudo usermod -aG audio \"$USER\", then log out of the machine and in again")
  }

  /// The processes that hold a PCM, from the status files of the PCMs.
  private func holderFinding() -> Finding {
    var holders: [String] = []
    for card in entries("/proc/asound").sorted() where card.hasPrefix("card") {
      for pcm in entries("/proc/asound/\(card)").sorted()
      where pcm.hasPrefix("pcm") && pcm.hasSuffix("p") {
        for sub in entries("/proc/asound/\(card)/\(pcm)").sorted() where sub.hasPrefix("sub") {
          guard let pid = ownerPID(text("/proc/asound/\(card)/\(pcm)/\(sub)/status")) else {
            continue
          }
          let name = text("/proc/\(pid)/comm").split(separator: "\n").first ?? "an unknown program"
          holders.append("\(card)/\(pcm) is held by \(name) (process \(pid))")
        }
      }
    }
    return holders.isEmpty
      ? .good("PCM", "none is in use")
      : .notice(
        "PCM", holders.joined(separator: "; "),
        remedy: "If that is not the theater: end it, or share the card with \"device\": \"dmix\".")
  }

  private func ownerPID(_ status: String) -> Int? {
    status.split(separator: "\n").first { $0.hasPrefix("owner_pid") }
      .flatMap { $0.split(separator: ":").last }
      .flatMap { Int($0.filter(\.isNumber)) }
  }

  private func entries(_ path: String) -> [String] {
    guard let folder = opendir(root + path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { raw in
          String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names.filter { !$0.hasPrefix(".") }
  }

  private func text(_ path: String) -> String {
    let file = open(root + path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 16 * 1024)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
