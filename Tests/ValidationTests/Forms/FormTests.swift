import Testing

@testable import Validation

@Suite struct FieldTests {
  private static let film = FieldDeclaration(
    "film", rules: [Rule(.minLength(3)), Rule(.digit)])
  private var form = Form([film], groups: [FormGroup("all", fields: ["film"])])

  private var display: FieldDisplay? { form["film"]?.display }

  @Test("B1 B4 · a field knows whether it is valid when it is made and after every change")
  mutating func validity() {
    #expect(form["film"]?.isValid == false)
    for (text, isValid) in [("a", false), ("abc1", true), ("abc", false), ("", false)] {
      _ = form.send(.type("film", text))
      #expect(form["film"]?.isValid == isValid)
    }
    #expect(Form([Self.film], values: ["film": "abc1"])["film"]?.isValid == true)
  }

  @Test("B6 · a mistake is hidden while it is typed and shown once the field is left")
  mutating func leaving() {
    #expect(display == .pristine)
    _ = form.send(.type("film", "a"))
    #expect(display == .invalidHidden)
    _ = form.send(.leave("film"))
    #expect(display == .invalidShown)
  }

  @Test("B6 · a shown mistake stays until it is corrected, and the next one is hidden again")
  mutating func mending() {
    _ = form.send(.type("film", "a"))
    _ = form.send(.leave("film"))
    _ = form.send(.type("film", "ab"))
    #expect(display == .invalidShown)
    _ = form.send(.type("film", "abc1"))
    #expect(display == .valid)
    _ = form.send(.type("film", "abc"))
    #expect(display == .invalidHidden)
  }

  @Test("B6 · submitting shows mistakes, also in untouched fields")
  mutating func submitting() {
    _ = form.send(.submit("all"))
    #expect(display == .invalidShown)
    #expect(form["film"]?.message == "Type the film.")
  }

  @Test("B6 · a field that was left untouched is pristine; one that is empty again is being edited")
  mutating func untouched() {
    _ = form.send(.leave("film"))
    #expect(display == .pristine)
    _ = form.send(.type("film", "a"))
    _ = form.send(.type("film", ""))
    #expect(display == .editing)
    _ = form.send(.leave("film"))
    #expect(display == .invalidShown)
  }

  @Test("B6 · reset makes a field pristine, with the given text")
  mutating func reset() {
    _ = form.send(.type("film", "a"))
    _ = form.send(.leave("film"))
    _ = form.send(.reset("film", to: "abc1"))
    #expect(display == .pristine)
    #expect(form["film"]?.isValid == true)
  }

  @Test("B5 · an optional field is valid when empty, and has to satisfy its rules when filled in")
  func optional() {
    var declaration = Self.film
    declaration.isRequired = false
    var form = Form([declaration])
    #expect(form["film"]?.isValid == true)
    _ = form.send(.type("film", "a"))
    #expect(form["film"]?.isValid == false)
    _ = form.send(.type("film", ""))
    #expect(form["film"]?.isValid == true)
  }

  @Test("B5 · a declaration can be copied to another field, whose messages name that field")
  func copy() {
    var form = Form([Self.film, Self.film.copied(to: "song")])
    _ = form.send(.type("song", "a"))
    #expect(form["song"]?.message == "Make the song at least 3 characters long.")
    #expect(form["film"]?.message == "Type the film.")
  }

  @Test("B5 · a field shows a message of its own, or none")
  func messages() {
    var declaration = Self.film
    declaration.message = .text("The {field} has to be one of 1984.")
    #expect(Form([declaration])["film"]?.message == "The film has to be one of 1984.")
    declaration.message = .none
    #expect(Form([declaration])["film"]?.message == nil)
  }

  @Test("descriptions and dumps do not contain the text of a field")
  func redacted() {
    let secret = "canary in the projector"
    let form = Form([Self.film], values: ["film": secret])
    let event = FormEvent.type("film", secret)
    for value in [form as Any, form["film"] as Any, event as Any, form.everything as Any] {
      #expect(!"\(value) \(String(reflecting: value))".contains(secret))
    }
    var shown = ""
    dump(form, to: &shown)
    #expect(!shown.contains(secret))
  }
}

@Suite struct GroupTests {
  private static func text(_ name: FieldName) -> FieldDeclaration {
    FieldDeclaration(name, rules: [Rule(.minLength(3))])
  }

  private static let login = Form(
    [text("login"), text("password")],
    groups: [FormGroup("all", fields: ["login", "password"], controls: ["logIn"])])

  @Test("B1 B7 · login and password together enable one button, at every keystroke")
  func scenarioOne() {
    var form = Self.login
    #expect(!form.isEnabled("logIn"))
    _ = form.send(.type("login", "anna"))
    #expect(!form.isEnabled("logIn"))
    let changes = form.send(.type("password", "abc"))
    #expect(form.isEnabled("logIn"))
    #expect(changes.contains(.group("all", isValid: true)))
    #expect(changes.contains(.control("logIn", isEnabled: true)))
    _ = form.send(.type("login", "an"))
    #expect(!form.isEnabled("logIn"))
  }

  @Test("B2 B7 · e-mail, password and phone enable Register; the phone alone enables its code")
  func scenarioTwo() {
    var form = Form(
      [
        FieldDeclaration("email", rules: [Rule(.email)]), Self.text("password"),
        FieldDeclaration("phone", rules: [Rule(.phone)]),
      ],
      groups: [
        FormGroup("all", fields: ["email", "password", "phone"], controls: ["register"]),
        FormGroup("phone", fields: ["phone"], controls: ["sendCode"]),
      ])
    let changes = form.send(.type("phone", "+49 170 1234567"))
    #expect(changes.contains(.control("sendCode", isEnabled: true)))
    #expect(!form.isEnabled("register"))
    _ = form.send(.type("email", "anna@example.org"))
    _ = form.send(.type("password", "abc"))
    #expect(form.isEnabled("register"))
    let broken = form.send(.type("phone", "+49"))
    #expect(
      broken.filter { if case .field = $0 { false } else { true } } == [
        .group("all", isValid: false), .group("phone", isValid: false),
        .control("register", isEnabled: false), .control("sendCode", isEnabled: false),
      ])
  }

  @Test("B3 N-B3 · only changes are reported")
  func onlyChanges() {
    var form = Self.login
    _ = form.send(.type("login", "anna"))
    #expect(form.send(.type("login", "annah")).isEmpty)
    #expect(form.send(.type("nobody", "x")).isEmpty)
    #expect(form.send(.submit("nobody")).isEmpty)
    #expect(form.send(.leave("password")).isEmpty)
  }

  @Test("B3 · a new subscriber gets the whole state once, and then the same changes as all others")
  func everything() {
    var form = Self.login
    var known: [ControlName: Bool] = [:]
    func record(_ changes: [FormChange]) {
      for case .control(let name, let isEnabled) in changes { known[name] = isEnabled }
    }
    record(form.everything)
    #expect(known == ["logIn": false])
    for text in ["a", "anna", "an", "anna"] {
      record(form.send(.type("login", text)))
      record(form.send(.type("password", text)))
      #expect(known["logIn"] == form.isEnabled("logIn"))
    }
  }

  @Test("B1 N-B1 · a group without fields is never valid, and neither is an unknown group")
  func noFields() {
    var form = Form([], groups: [FormGroup("none", fields: [], controls: ["go"])])
    #expect(!form.isValid("none"))
    #expect(!form.isEnabled("go"))
    #expect(!form.isValid("nowhere"))
    #expect(!form.isEnabled("nothing"))
    #expect(form.declare(FormGroup("none", fields: ["ghost"], controls: ["go"])).isEmpty)
    #expect(!form.isValid("none"))
  }

  @Test("B1 B4 N-B2 · a new, removed or redeclared field updates its groups and controls")
  func fieldsChange() {
    var form = Self.login
    _ = form.send(.type("login", "anna"))
    _ = form.send(.type("password", "abc"))
    let longer = FieldDeclaration("password", rules: [Rule(.minLength(8))])
    #expect(form.declare(longer).contains(.control("logIn", isEnabled: false)))
    #expect(form.text("password") == "abc")
    #expect(form.declare(Self.text("password")).contains(.control("logIn", isEnabled: true)))

    let removed = form.remove(field: "password")
    #expect(removed.contains(.removed("password")))
    #expect(removed.contains(.control("logIn", isEnabled: false)))
    let alone = FormGroup("all", fields: ["login"], controls: ["logIn"])
    #expect(form.declare(alone).contains(.control("logIn", isEnabled: true)))
    #expect(form.remove(group: "all").contains(.control("logIn", isEnabled: false)))
  }

  @Test("B2 · a control that two groups drive waits for both")
  func sharedControl() {
    var form = Form(
      [Self.text("a"), Self.text("b")],
      groups: [
        FormGroup("one", fields: ["a"], controls: ["go"]),
        FormGroup("two", fields: ["b"], controls: ["go"]),
      ])
    _ = form.send(.type("a", "abc"))
    #expect(!form.isEnabled("go"))
    _ = form.send(.type("b", "abc"))
    #expect(form.isEnabled("go"))
  }

  @Test("A3 · a field whose rule refers to another is checked again at each change of that one")
  func crossField() {
    var form = Form([
      Self.text("password"),
      FieldDeclaration("again", label: "repetition", rules: [Rule(.equals("password"))]),
    ])
    _ = form.send(.type("password", "abc"))
    _ = form.send(.type("again", "abc"))
    #expect(form["again"]?.display == .valid)
    _ = form.send(.leave("again"))
    let changes = form.send(.type("password", "abcd"))
    #expect(form["again"]?.display == .invalidShown)
    #expect(form["again"]?.message == "Type the repetition the same as the password.")
    #expect(changes.count == 1)
  }
}
