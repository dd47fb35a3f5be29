import Glibc

/// A process that has a sound device open.
struct PCMHolder: Equatable {
  /// Its process id.
  var process: Int
  /// Its name, as `ps` shows it.
  var name: String

  /// The text in messages: `mpv (process 4711)`.
  var description: String { "\(name) (process \(process))" }

  /// Lists the other processes that play on a hardware PCM or have one open.
  ///
  /// A PCM's status file names the owner, also of another user. Open descriptors show the processes that
  /// have not configured their PCM yet.
  ///
  /// - Parameter root: The mount point of `proc`; tests have their own.
  static func all(root: String = "/proc") -> [PCMHolder] {
    let own = Int(getpid())
    var processes: Set<Int> = []
    for card in entries("\(root)/asound") where card.hasPrefix("card") {
      for pcm in entries("\(root)/asound/\(card)") where pcm.hasPrefix("pcm") && pcm.hasSuffix("p")
      {
        for sub in entries("\(root)/asound/\(card)/\(pcm)") where sub.hasPrefix("sub") {
          let status = text("\(root)/asound/\(card)/\(pcm)/\(sub)/status")
          if let owner = owner(status), owner != own { processes.insert(owner) }
        }
      }
    }
    if processes.isEmpty { processes = Set(openers(root)).subtracting([own]) }
    return processes.sorted().map { process in
      let name = text("\(root)/\(process)/comm").split(separator: "\n").first.map(String.init)
      return PCMHolder(process: process, name: name ?? "a process that has ended")
    }
  }

  /// `owner_pid   : 4711` → 4711.
  private static func owner(_ status: String) -> Int? {
    for line in status.split(separator: "\n") where line.hasPrefix("owner_pid") {
      return line.split(separator: ":").last.flatMap { Int($0.filter(\.isNumber)) }
    }
    return nil
  }

  /// Lists the processes that have a playback PCM's device file open.
  private static func openers(_ root: String) -> [Int] {
    entries(root).compactMap(Int.init).filter { process in
      entries("\(root)/\(process)/fd").contains { descriptor in
        let target = link("\(root)/\(process)/fd/\(descriptor)")
        return target.hasPrefix("/dev/snd/pcm") && target.hasSuffix("p")
      }
    }
  }

  private static func entries(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func text(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  private static func link(_ path: String) -> String {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = bytes.withUnsafeMutableBytes { raw -> Int in
      guard let base = raw.baseAddress else { return 0 }
      return readlink(path, base.assumingMemoryBound(to: CChar.self), raw.count)
    }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
