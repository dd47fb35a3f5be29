import Testing
import Validation

@Suite("fields that are no texts") struct FieldKindTests {
  private static let fields = [
    FieldDeclaration("name", rules: [Rule(.notEmpty)]),
    FieldDeclaration("role", .choice(["member", "owner"]), label: "role"),
    FieldDeclaration("terms", .toggle, label: "\"I accept\""),
    FieldDeclaration("age", .number(0...21), label: "age limit", isRequired: false),
    FieldDeclaration("news", .toggle, isRequired: false),
  ]

  private func form() -> Form {
    Form(
      Self.fields,
      groups: [
        FormGroup(
          "invite", fields: ["name", "role", "terms", "age", "news"],
          controls: ["inviteButton", "ageField", "shareMenu"])
      ])
  }

  @Test("B8 · a text, a choice, a toggle and a number together enable a button, a field and a menu")
  func together() {
    var form = form()
    let controls: [ControlName] = ["inviteButton", "ageField", "shareMenu"]
    _ = form.send(.type("name", "Ben"))
    _ = form.send(.type("role", "member"))
    #expect(!form.isValid("invite") && controls.allSatisfy { !form.isEnabled($0) })
    let changes = form.send(.set("terms", on: true))
    #expect(
      changes.suffix(4) == [
        .group("invite", isValid: true), .control("inviteButton", isEnabled: true),
        .control("ageField", isEnabled: true), .control("shareMenu", isEnabled: true),
      ])
    _ = form.send(.type("age", "22"))
    #expect(!form.isValid("invite") && form.number("age") == nil)
    _ = form.send(.type("age", "12"))
    #expect(form.isValid("invite") && form.number("age") == 12)
    _ = form.send(.set("terms", on: false))
    #expect(!form.isEnabled("inviteButton"))
  }

  @Test("B8 · a choice accepts its options alone", arguments: ["", "guest", "Member", "member "])
  func choice(_ text: String) {
    var form = form()
    _ = form.send(.type("role", text))
    #expect(form["role"]?.isValid == false)
    _ = form.send(.type("role", "owner"))
    #expect(form["role"]?.isValid == true)
  }

  @Test("B8 · a required toggle must be on, another may be off")
  func toggle() {
    var form = form()
    #expect(form["terms"]?.isValid == false && form["news"]?.isValid == true)
    _ = form.send(.set("news", on: true))
    #expect(form.isOn("news") && !form.isOn("terms") && !form.isOn("name"))
    _ = form.send(.type("terms", "yes"))
    #expect(form["terms"]?.isValid == false && !form.isOn("terms"))
  }

  @Test(
    "B8 · a number outside its range, or no number, is not valid",
    arguments: ["-1", "21.5", "x", "nan", "inf", "0x10", "1e1", "1-", ".", "٣"])
  func number(_ text: String) {
    var form = form()
    _ = form.send(.type("age", text))
    #expect(form["age"]?.isValid == false && form.number("age") == nil)
  }

  @Test("B8 B6 · a mistake is shown on submit, with an instruction that names the field")
  func messages() {
    var form = form()
    _ = form.send(.type("age", "99"))
    #expect(form["age"]?.display == .invalidHidden)
    _ = form.send(.submit("invite"))
    #expect(form["age"]?.message == "Give the age limit as a number from 0 to 21.")
    #expect(form["role"]?.message == "Choose the role: member, owner.")
    #expect(form["terms"]?.message == "Switch \"I accept\" on.")
    #expect(form["terms"]?.display == .invalidShown)
  }

  @Test("A12 · an edit hides a shown mistake if the field's declaration says so")
  func hiddenOnEdit() {
    var form = Form([FieldDeclaration("email", hidesMistakeOnEdit: true, rules: [Rule(.email)])])
    _ = form.send(.type("email", "anna@"))
    _ = form.send(.leave("email"))
    #expect(form["email"]?.display == .invalidShown)
    _ = form.send(.type("email", "anna@e"))
    #expect(form["email"]?.display == .invalidHidden)
  }
}
