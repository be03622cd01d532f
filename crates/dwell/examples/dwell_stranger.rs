//! A server of somebody else's, for the tests: see `testkit::Stranger`.

fn main() {
    testkit::Stranger::run();
}
