import AccountFlows
import Accounts
import Storage
import Validation

// The accounts are in memory; `TheaterDatabase(in:)` keeps them in a folder.
let stores = try TheaterDatabase(inMemory: .system).accountStores
let mail = PrintedMail()
let service = AccountService(stores: stores, delivery: mail)
let events = service.events.subscribe(losing: .nothing)

// The first person registers with the code that only the console shows.
guard let setupCode = try await service.open() else { fatalError("there is an account already") }
let ann = try await service.registration.register(
  RegistrationRequest(
    admission: .setupCode(setupCode.text), name: "Ann", email: "ann@example.org",
    password: "seven quiet evenings"))
print("registered:", ann.name, ann.role)

// The login screen without a front end: the same steps whether a page or a terminal shows it.
let login = Authenticator(service: LocalLogin(service: service), tokens: NoTokens())

/// Types an address and a password, presses the button, and returns the screen at its end.
func logIn(_ email: String, _ password: String) async -> LoginScreen {
  let screen = LoginScreen().driver(login)
  async let ended = screen.run()
  await screen.send(.typed(.email, email))
  await screen.send(.typed(.password, password))
  await screen.send(.submit)
  for await change in screen.changes {
    for case .failure(let failure) in change.outputs {
      print("refused:", failure.text)
      await screen.send(.leave(for: .forgottenPassword))
    }
  }
  return await ended
}
_ = await logIn("ann@example.org", "six noisy mornings")
print("logged in:", await logIn("ann@example.org", "seven quiet evenings").person?.name ?? "nobody")

// A one-time code, once the address is verified.
let session = try await service.logIn(
  PasswordCredentials(email: "ann@example.org", password: "seven quiet evenings"))
let check = try await service.contacts.sendEmailCode(to: nil, by: session.principal)
try await service.contacts.confirm(
  await mail.nextCode(), of: check.id.text, for: .verifyEmail, by: session.principal)
let request = try await service.sendLoginCode(to: .email(EmailAddress("ann@example.org")))
let byCode = try await service.logIn(
  CodeCredentials(request: request.id.text, code: await mail.nextCode()))
print("logged in by code:", byCode.principal.name)

// A login method of one's own: the steps around it are those of every login.
let badges = service.login(by: BadgeLogin(accounts: stores.accounts))
do {
  _ = try await badges.logIn("unknown")
} catch {
  print("refused:", error.message)
}
print("logged in by badge:", try await badges.logIn("badge-7").principal.name)

// The rest of the program learns who logged in, and how that was proven.
var seen = 0
for await event in events {
  guard case .loggedIn(let principal, .account(let proof)) = event else { continue }
  print("event:", principal.name, "by", proof.method, "as", proof.account.email)
  seen += 1
  if seen == 4 { break }
}
