// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Login",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "HomeTheater", path: "../..")],
  targets: [
    .executableTarget(
      name: "Login",
      dependencies: [.product(name: "Accounts", package: "HomeTheater")])
  ]
)
