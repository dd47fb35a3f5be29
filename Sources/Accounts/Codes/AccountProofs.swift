/// The parts behind the gate by which people prove what is theirs: addresses, passwords, a second
/// factor.
struct AccountProofs: Sendable {
  let codes: OneTimeCodes
  let verification: Verification
  let reset: PasswordReset
  let change: PasswordChange
  let current: CurrentPassword
  let factors: SecondFactors
  let codeLogin: CodeLogin
  let notices: Notices

  init(
    stores: GateStores, delivery: any MessageDelivery, hasher: PasswordHasher,
    throttle: RateLimiter,
    policy: GatePolicy, steady: SteadyClock, clock: WallClock, random: RandomSource
  ) {
    codes = OneTimeCodes(
      store: stores.codes, key: stores.key, delivery: delivery, throttle: throttle,
      policy: policy.codes, steady: steady, clock: clock, random: random)
    factors = SecondFactors(store: stores.factors, key: stores.key, clock: clock, random: random)
    current = CurrentPassword(contacts: stores.contacts, hasher: hasher, throttle: throttle)
    verification = Verification(codes: codes)
    reset = PasswordReset(
      codes: codes, contacts: stores.contacts, factors: factors, hasher: hasher,
      rules: policy.passwordRules)
    change = PasswordChange(
      current: current, accounts: stores.accounts, factors: factors, hasher: hasher,
      rules: policy.passwordRules)
    codeLogin = CodeLogin(codes: codes, contacts: stores.contacts, factors: factors)
    notices = Notices(delivery: delivery)
  }
}
