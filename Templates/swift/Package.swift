// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "__ID__",
  platforms: [.macOS(.v15)],
  dependencies: [__PACKAGE__],
  targets: [
    .executableTarget(
      name: "Plugin", dependencies: [.product(name: "PluginKit", package: "__PACKAGE_NAME__")]),
    .testTarget(
      name: "PluginTests",
      dependencies: ["Plugin", .product(name: "PluginKit", package: "__PACKAGE_NAME__")]),
  ]
)
