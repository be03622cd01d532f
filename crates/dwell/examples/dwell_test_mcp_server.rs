//! An MCP server for the tests: see `testkit::TestMcpServer`.

fn main() {
    testkit::TestMcpServer::run();
}
