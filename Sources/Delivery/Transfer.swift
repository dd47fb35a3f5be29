import Accounts
import CCurl

/// One request to a server, through libcurl, on the calling thread.
///
/// Ignores the environment (proxies, `.netrc`) and redirections, so that a code goes only where
/// devices.json says.
struct Transfer: ~Copyable {
  /// The timeouts of a request.
  struct Timeouts: Sendable, Hashable {
    /// Until the connection is established.
    var connect = Duration.seconds(10)
    /// From beginning to end.
    var whole = Duration.seconds(30)
  }

  /// The most bytes of an answer that are read; they are discarded.
  private static let longestAnswer = 64 * 1024

  private let handle: UnsafeMutableRawPointer
  private var lists: [UnsafeMutablePointer<curl_slist>] = []
  private var mime: OpaquePointer?
  private var refused: CURLcode?

  /// - Parameter protocols: The allowed protocols, such as `smtp,smtps`.
  /// - Throws: `deliveryFailed` when libcurl is missing.
  init(to url: String, protocols: String, timeouts: Timeouts) throws(AccountError) {
    if let problem = ccurl_load() {
      throw .deliveryFailed(
        String(cString: problem), hint: "Install libcurl: apt-get install libcurl4.")
    }
    guard let handle = ccurl_easy_init() else {
      throw .deliveryFailed("there is not enough memory", hint: "Try again later.")
    }
    self.handle = handle
    set(CURLOPT_URL, url)
    set(CURLOPT_PROTOCOLS_STR, protocols)
    set(CURLOPT_CONNECTTIMEOUT_MS, timeouts.connect.milliseconds)
    set(CURLOPT_TIMEOUT_MS, timeouts.whole.milliseconds)
    // Without this libcurl may use signals for name lookups.
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_PROXY, "")
    set(CURLOPT_NETRC, 0)
    set(CURLOPT_FOLLOWLOCATION, 0)
  }

  deinit {
    if let mime { ccurl_mime_free(mime) }
    ccurl_easy_cleanup(handle)
    for list in lists { ccurl_slist_free_all(list) }
  }

  mutating func set(_ option: CURLoption, _ number: Int) {
    record(ccurl_set_number(handle, option, number))
  }

  /// - Parameter text: A text without NUL, which would end it.
  mutating func set(_ option: CURLoption, _ text: String) {
    record(ccurl_set_text(handle, option, text))
  }

  mutating func set(_ option: CURLoption, _ lines: [String]) {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      guard let longer = ccurl_slist_append(list, line) else {
        if let list { ccurl_slist_free_all(list) }
        return record(CURLE_OUT_OF_MEMORY)
      }
      list = longer
    }
    guard let list else { return }
    lists.append(list)
    record(ccurl_set_list(handle, option, list))
  }

  /// Sets the body of a mail, as one part of plain text.
  mutating func setMail(_ text: String) {
    guard mime == nil, let mime = ccurl_mime_init(handle) else {
      return record(CURLE_OUT_OF_MEMORY)
    }
    self.mime = mime
    let part = ccurl_mime_addpart(mime)
    record(ccurl_mime_data(part, text, text.utf8.count))
    record(ccurl_mime_type(part, "text/plain; charset=utf-8"))
    record(ccurl_mime_encoder(part, "quoted-printable"))
    record(ccurl_set_mime(handle, mime))
  }

  /// Performs the request.
  /// - Returns: Its result.
  consuming func perform() -> TransferResult {
    if let refused { return TransferResult(code: refused, status: 0, detail: "") }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CURL_ERROR_SIZE)) { detail in
      detail.initialize(repeating: 0)
      var left = Self.longestAnswer
      return withUnsafeMutablePointer(to: &left) { left in
        _ = ccurl_set_error_buffer(handle, detail.baseAddress)
        _ = ccurl_drop_answer(handle, left)
        let code = ccurl_easy_perform(handle)
        let status = ccurl_status(handle)
        _ = ccurl_set_error_buffer(handle, nil)
        let text = detail.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return TransferResult(
          code: code, status: status, detail: String(decoding: text, as: UTF8.self))
      }
    }
  }

  /// Records the code of the first refused option, which `perform` returns.
  private mutating func record(_ code: CURLcode) {
    if code != CURLE_OK, refused == nil { refused = code }
  }

  /// The result of a request.
  struct TransferResult: Hashable, Sendable {
    let code: CURLcode
    /// The status of HTTP, or the last of SMTP; 0 when there was none.
    let status: Int
    /// libcurl's error message.
    let detail: String
  }
}

extension CURLcode: @retroactive Hashable {}

extension Duration {
  fileprivate var milliseconds: Int {
    Int(clamping: components.seconds &* 1000 &+ components.attoseconds / 1_000_000_000_000_000)
  }
}
