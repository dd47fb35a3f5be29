import Foundation

/// The identity of an access token. It may be shown and logged; only the secret authenticates.
package struct TokenID: Hashable, Sendable, CustomStringConvertible {
  /// 16 lower-case hexadecimal digits.
  package let text: String

  /// Takes a stored or typed identity.
  package init(_ text: String) {
    self.text = text
  }

  package var description: String { text }
}

/// The right of a program to do chosen things in the name of an account, stored under the digest of its secret.
package struct AccessToken: Hashable, Sendable, Identifiable {
  /// Identifies the token in lists and logs; not the secret.
  package let id: TokenID
  /// The account in whose name it acts.
  package let account: AccountID
  /// Its name in lists, one of its kind in the account.
  package let name: DisplayName
  /// What it may do, without repeats, sorted by their words.
  package let scopes: [TokenScope]
  /// The role of the account when the token was made. A higher role that the account gets later gives the token
  /// nothing.
  package let madeAs: AccountRole
  /// When it was made, by the time of day.
  package let madeAt: Date
  /// The same moment by the steady clock.
  package let made: SteadyTime
  /// It is void from then on.
  package let expires: Date
  /// When and from where it was last used; up to a minute old. nil for a token that was never used.
  package let lastUse: TokenUse?

  package init(
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
package struct TokenUse: Hashable, Sendable {
  /// By the time of day.
  package let date: Date
  /// The peer's address: `192.168.1.20`, or `local`.
  package let address: String

  package init(date: Date, address: String) {
    self.date = date
    self.address = address
  }
}

/// A new token with its secret, which is not stored.
package struct IssuedAccessToken: Sendable {
  /// The secret that authenticates requests; shown once.
  package let secret: AccessTokenSecret
  /// The stored part of the token.
  package let token: AccessToken
}

/// The authenticated program of one request, without the secret: the rights of a token at this moment.
///
/// It is no `SessionPrincipal`, so no operation on accounts, sessions or credentials takes it.
package struct TokenPrincipal: Hashable, Sendable {
  /// The token.
  package let token: TokenID
  /// The name of the token.
  package let tokenName: String
  /// The account in whose name it acts.
  package let account: AccountID
  /// The display name of the account.
  package let name: String
  /// The e-mail address of the account.
  package let email: String
  /// The lower one of the account's role now and its role when the token was made.
  package let role: AccountRole
  /// The highest age rating that the account may watch now, in years; nil for no limit.
  package let ageLimit: Int?
  /// What the token may do.
  package let scopes: Set<TokenScope>
  /// When the token expires.
  package let expires: Date

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
  package func may(_ scope: TokenScope) -> Bool {
    scopes.contains(scope) || scopes.contains(.everything)
  }
}

extension AuditActor {
  /// A program with an access token: named by the account and the token.
  package init(_ principal: TokenPrincipal) {
    self.init(
      account: principal.account, name: "\(principal.email), token \(principal.tokenName)")
  }
}

/// Stores access tokens under the digests of their secrets.
package protocol AccessTokenStore: Sendable {
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
  package static let invalidToken = AccountError(
    .notLoggedIn, message: "The access token is wrong, revoked or expired.",
    hint: "Check it, or create another one.")

  /// The token would travel in clear text, or has done so already.
  package static let unencryptedToken = AccountError(
    .forbidden, message: "An access token is accepted only over TLS or from this machine.",
    hint: "Use https://. This token was sent unencrypted: revoke it and create another one.")

  /// The token has no scope for the request, or no token may do it.
  /// - Parameter need: The rest of the sentence "The access token …".
  package static func tokenMayNot(_ need: String) -> AccountError {
    AccountError(
      .forbidden, message: "The access token may not do this.", hint: need)
  }

  /// The user has no token with this id or name.
  package static let unknownToken = AccountError(
    .notFound, message: "There is no such access token.",
    hint: "Choose one from the list of access tokens.")

  /// The name of a new token is used by another one of the account.
  package static let tokenNameTaken = AccountError(
    .taken, field: .name, message: "You have an access token of this name already.",
    hint: "Choose another name, or revoke the other token first.")

  /// The account has as many tokens as it can have.
  package static let tooManyTokens = AccountError(
    .tooManyTokens, message: "You have \(AccessTokens.most) access tokens, the most of an account.",
    hint: "Revoke one that is not used any more.")
}
