import Glibc
import JSON
import Platform

/// Secrets as files: in `$CREDENTIALS_DIRECTORY` (systemd's `LoadCredential=`), otherwise in the
/// folder `secrets` of the state folder, where only their owner may read them.
package struct SecretFolders: SecretSource {
  /// `$CREDENTIALS_DIRECTORY`. The service manager sets its permissions.
  package var credentials: String?
  /// The folder `secrets` in the state folder.
  package var own: String

  package init(credentials: String?, own: String) {
    self.credentials = credentials
    self.own = own
  }

  private static let longest = 64 * 1024

  /// Looks in `credentials` first, then in `own`. One line break at the end of a file is left out.
  /// - Throws: For an unfit name, a missing or unreadable file, a link, a file that others can
  ///   read (a group may read one in `credentials`), and a text that is empty, not UTF-8 or longer
  ///   than 64 KiB.
  package func secret(_ name: String) throws(SecretError) -> Secret {
    try Self.checkName(name)
    if let credentials {
      // A file that everybody can read is refused in both folders. In the first the service manager
      // decides about the group.
      let text = try read("\(credentials)/\(name)", name: name, forbidden: S_IRWXO)
      if let text { return Secret(name: name, text: text) }
    }
    let path = "\(own)/\(name)"
    if let text = try read(path, name: name, forbidden: S_IRWXG | S_IRWXO) {
      return Secret(name: name, text: text)
    }
    throw SecretError(
      "the secret \"\(name)\" is missing",
      hint: "Put it into \(path) and make it yours alone: chmod 600 \(path)")
  }

  /// Saves a secret in `own`, in place of an earlier one of this name, as a file that its owner alone may read.
  ///
  /// - Throws: For an unfit name, a text that is empty or too long, a name that `credentials` has, whose text would be
  ///   used instead, and a file that is a link or cannot be written.
  package func save(_ text: String, as name: String) throws(SecretError) {
    try Self.checkName(name)
    guard !text.isEmpty, text.utf8.count < Self.longest else {
      throw SecretError(
        "the secret \"\(name)\" is empty or longer than \(Self.longest / 1024) KiB",
        hint: "Type the text again.")
    }
    if let credentials, access("\(credentials)/\(name)", F_OK) == 0 {
      throw SecretError(
        "the secret \"\(name)\" comes from the service manager",
        hint: "Change LoadCredential= of the service, or use another name.")
    }
    let path = "\(own)/\(name)"
    mkdir(own, S_IRWXU)
    let isNew = access(path, F_OK) != 0
    let file = open(
      path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR)
    let isOwn = file >= 0 && fchmod(file, S_IRUSR | S_IWUSR) == 0
    let code = errno
    if file >= 0 { close(file) }
    do throws(SystemError) {
      guard isOwn else { throw SystemError(code) }
      // Reading leaves out one line break at the end.
      try RegularFile.replace(path, with: Array((text + "\n").utf8))
    } catch {
      if isNew, isOwn { unlink(path) }
      throw SecretError(
        "the secret \"\(name)\" cannot be written: \(error)",
        hint: "Check who owns \(own), and that \(path) is a file and no link.")
    }
  }

  private static func checkName(_ name: String) throws(SecretError) {
    guard TextRule.secretName.allows(name) else {
      throw SecretError(
        "\"\(name.quotation)\" cannot be the name of a secret",
        hint: "Use at most 64 letters, digits, \".\", \"_\" and \"-\"; do not begin with \".\".")
    }
  }

  /// Returns the text of the file, without one line break at its end; `nil` if there is no file.
  private func read(_ path: String, name: String, forbidden: mode_t) throws(SecretError) -> String?
  {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw SecretError(
        "the secret \"\(name)\" cannot be read: \(String(cString: strerror(errno)))",
        hint: "Check who owns \(path), and that it is a file and no link.")
    }
    defer { close(file) }
    // Checked on the open file, so that the file cannot be replaced between check and read.
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw SecretError("the secret \"\(name)\" is not a file", hint: "Look at \(path).")
    }
    guard status.st_mode & forbidden == 0 else {
      throw SecretError(
        "the secret \"\(name)\" can be read by others", hint: "Type: chmod 600 \(path)")
    }
    return try Self.text(of: file, name: name, path: path)
  }

  private static func text(of file: Int32, name: String, path: String) throws(SecretError)
    -> String
  {
    guard let bytes = contents(of: file, atMost: longest) else {
      throw SecretError(
        "the secret \"\(name)\" cannot be read or is longer than \(longest / 1024) KiB",
        hint: "Look at \(path).")
    }
    let content = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
    guard !content.isEmpty, let text = String(validating: content, as: UTF8.self) else {
      throw SecretError(
        "the secret \"\(name)\" is empty or not UTF-8", hint: "Write the text into \(path).")
    }
    return text
  }
}
