//! A sample of the tests, once more on PostgreSQL.
//!
//! Where they run by themselves, their servers keep their journals in their data folders. With
//! `DWELL_TEST_STORE=postgres` each of the servers has a database of its own instead; any of the
//! tests can be run like that by hand. These are always run both ways.

use testkit::TEST_STORE;
use tokio::process::Command;

/// About sessions, turns, tools and memory, and kills.
const SAMPLE: [&str; 9] = [
    "effects::unknown::what_must_not_happen_twice_is_asked_about",
    "idempotency::a_retry_with_a_key_is_made_once",
    "kill::kill_loop_loses_nothing",
    "memory::writing::a_retry_after_a_restart_writes_nothing_new",
    "queue::interrupt_cancels_what_runs_and_goes_first",
    "restart::a_turn_cut_by_a_kill_goes_on_by_itself",
    "sessions::a_fork_shares_the_past_and_goes_its_own_way",
    "streams::after_any_number_comes_exactly_the_rest",
    "tools::calls_of_one_round_run_side_by_side_and_are_answered_in_their_order",
];

#[tokio::test]
async fn a_sample_of_the_tests_passes_on_postgresql() {
    let tests = std::env::current_exe().unwrap();
    let mut command = Command::new(tests);
    command.arg("--exact").args(SAMPLE).args(["--test-threads", "4"]);
    // Kills show what a store loses; a few are enough beside those of its own tests.
    command.env(TEST_STORE, "postgres").env("DWELL_KILLS", "3").kill_on_drop(true);
    let output = command.output().await.unwrap();
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}{errors}");
    // Names that no test has any more would be passed over.
    assert!(said.contains(&format!("{} passed", SAMPLE.len())), "{said}{errors}");
}
