//! An MCP server for tests that need a separate process: see `testkit::TestMcpServer`.

fn main() {
    testkit::TestMcpServer::run();
}
