import Foundation

/// The identity of an access token. It may be shown and logged; only the secret authenticates.
public struct TokenID: Hashable, Sendable, CustomStringConvertible {
  /// 16 lower-case hexadecimal digits.
  public let text: String

  /// Takes a stored or typed identity.
  public init(_ text: String) {
    self.text = text
  }

  public var description: String { text }
}

/// The right of a program to do chosen things in the name of an account, stored under the digest of its secret.
public struct AccessToken: Hashable, Sendable, Identifiable {
  /// Identifies the token in lists and logs; not the secret.
  public let id: TokenID
  /// The account in whose name it acts.
  public let account: AccountID
  /// Its name in lists, one of its kind in the account.
  public let name: DisplayName
  /// What it may do, without repeats, sorted by their words.
  public let scopes: [TokenScope]
  /// The role of the account when the token was made. A higher role that the account gets later gives the token
  /// nothing.
  public let madeAs: AccountRole
  /// When it was made, by the time of day.
  public let madeAt: Date
  /// The same moment by the steady clock.
  public let made: SteadyTime
  /// It is void from then on.
  public let expires: Date
  /// When and from where it was last used; up to a minute old. nil for a token that was never used.
  public let lastUse: TokenUse?

  public init(
    id: TokenID, account: AccountID, name: DisplayName, scopes: [TokenScope], madeAs: AccountRole,
    madeAt: Date, made: SteadyTime, expires: Date, lastUse: TokenUse?
  ) {
    self.id = id
    self.account = account
    self.name = name
    self.scopes = scopes
    self.madeAs = madeAs
    self.madeAt = madeAt
    self.made = made
    self.expires = expires
    self.lastUse = lastUse
  }

  /// How far in the future a token of another boot may have been made.
  private static let tolerance: TimeInterval = 86_400

  /// Whether it is over by the time of day or, in case that was set back, by the steady clock. A token that was made
  /// more than a day in the future is refused until the clock is right again, as its age is unknown.
  func isOver(at now: Moment) -> Bool {
    if expires <= now.date { return true }
    guard let age = now.steady.age(of: made) else {
      return madeAt.timeIntervalSince(now.date) > Self.tolerance
    }
    return age >= .seconds(expires.timeIntervalSince(madeAt))
  }

  /// When it ends at the latest.
  var end: SessionEnd {
    let validity = expires.timeIntervalSince(madeAt)
    return SessionEnd(
      date: expires,
      steady: SteadyTime(
        boot: made.boot, milliseconds: made.milliseconds + Int64(validity * 1000)))
  }
}

/// A use of an access token.
public struct TokenUse: Hashable, Sendable {
  /// By the time of day.
  public let date: Date
  /// The peer's address: `192.168.1.20`, or `local`.
  public let address: String

  public init(date: Date, address: String) {
    self.date = date
    self.address = address
  }
}

/// A new token with its secret, which is not stored.
public struct IssuedAccessToken: Sendable {
  /// The secret that authenticates requests; shown once.
  public let secret: AccessTokenSecret
  /// The stored part of the token.
  public let token: AccessToken
}

/// The authenticated program of one request, without the secret: the rights of a token at this moment.
///
/// It is no `SessionPrincipal`, so no operation on accounts, sessions or credentials takes it.
public struct TokenPrincipal: Hashable, Sendable {
  /// The token.
  public let token: TokenID
  /// The name of the token.
  public let tokenName: String
  /// The account in whose name it acts.
  public let account: AccountID
  /// The display name of the account.
  public let name: String
  /// The e-mail address of the account.
  public let email: String
  /// The lower one of the account's role now and its role when the token was made.
  public let role: AccountRole
  /// The highest age rating that the account may watch now, in years; nil for no limit.
  public let ageLimit: Int?
  /// What the token may do.
  public let scopes: Set<TokenScope>
  /// When the token expires.
  public let expires: Date

  init(_ token: AccessToken, of account: Account) {
    self.token = token.id
    tokenName = token.name.text
    self.account = account.id
    name = account.name.text
    email = account.email.text
    role = account.role == .owner ? token.madeAs : account.role
    ageLimit = account.ageLimit
    scopes = Set(token.scopes)
    expires = token.expires
  }

  /// Whether one of its scopes is this one, or everything.
  public func may(_ scope: TokenScope) -> Bool {
    scopes.contains(scope) || scopes.contains(.everything)
  }
}

extension AuditActor {
  /// A program with an access token: named by the account and the token.
  public init(_ principal: TokenPrincipal) {
    self.init(
      account: principal.account, name: "\(principal.email), token \(principal.tokenName)")
  }
}

/// Stores access tokens under the digests of their secrets.
public protocol AccessTokenStore: Sendable {
  /// Stores a token, and deletes those of its account that expired at or before its making.
  /// - Parameters:
  ///   - most: The most tokens of an account.
  ///   - session: The session in which it is made.
  /// - Throws: `taken` when the account has a token of this name; `tooManyTokens`; `notLoggedIn` when the session has
  ///   ended meanwhile, or the account has another role than `madeAs`.
  func insert(
    _ token: AccessToken, digest: SecretDigest, most: Int, in session: SessionID
  ) async throws(AccountError)

  /// The token with this digest, and its account as it is now.
  func accessToken(
    digest: SecretDigest
  ) async throws(AccountError) -> (token: AccessToken, account: Account)?

  /// The tokens of an account, the newest first.
  func accessTokens(of account: AccountID) async throws(AccountError) -> [AccessToken]

  /// Records the last use; an unknown token is no error.
  func setLastUse(_ use: TokenUse, of token: TokenID) async throws(AccountError)

  /// Deletes tokens, all or none; an unknown one is no error.
  func deleteAccessTokens(_ ids: [TokenID]) async throws(AccountError)
}

extension AccountError {
  /// The token is malformed, unknown, revoked, expired, or its account is gone.
  public static let invalidToken = AccountError(
    .notLoggedIn, message: "The access token is wrong, revoked or expired.",
    hint: "Check it, or create another one.")

  /// The token would travel in clear text, or has done so already.
  public static let unencryptedToken = AccountError(
    .forbidden, message: "An access token is accepted only over TLS or from this machine.",
    hint: "Use https://. This token was sent unencrypted: revoke it and create another one.")

  /// The token has no scope for the request, or no token may do it.
  /// - Parameter need: The rest of the sentence "The access token …".
  public static func tokenMayNot(_ need: String) -> AccountError {
    AccountError(
      .forbidden, message: "The access token may not do this.", hint: need)
  }

  /// The user has no token with this id or name.
  public static let unknownToken = AccountError(
    .notFound, message: "There is no such access token.",
    hint: "Choose one from the list of access tokens.")

  /// The name of a new token is used by another one of the account.
  public static let tokenNameTaken = AccountError(
    .taken, field: .name, message: "You have an access token of this name already.",
    hint: "Choose another name, or revoke the other token first.")

  /// The account has as many tokens as it can have.
  public static let tooManyTokens = AccountError(
    .tooManyTokens, message: "You have \(AccessTokens.most) access tokens, the most of an account.",
    hint: "Revoke one that is not used any more.")
}
