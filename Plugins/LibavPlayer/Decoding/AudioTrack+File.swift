extension AudioTrack {
  /// Opens a local file up to its first frame. `subject` names it in messages.
  ///
  /// The file's name tells its kind, which saves probing; where the name lies, the content decides.
  convenience init(file path: String, subject: String, interrupt: Interrupt) throws(MediaFailure) {
    let kind = AudioFileKind(path: path)?.demuxer
    do {
      try self.init(
        Demuxer.examined(path, format: kind, subject: subject, interrupt: interrupt))
    } catch  where kind != nil && [.corrupt, .unsupported].contains(error.kind) {
      try self.init(
        Demuxer.examined(path, format: nil, subject: subject, interrupt: interrupt))
    }
  }
}

extension Demuxer {
  /// Opens a file, and reads ahead only where its header does not tell the length.
  static func examined(
    _ path: String, format: String?, subject: String, interrupt: Interrupt
  ) throws(MediaFailure) -> Demuxer {
    let demuxer = try Demuxer(
      file: path, format: format, subject: subject, interrupt: interrupt)
    if demuxer.headerDuration == nil { demuxer.examine() }
    return demuxer
  }
}
