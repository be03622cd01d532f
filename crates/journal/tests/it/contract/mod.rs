//! The contract of every store. Another store runs this suite with one more `contract_suite!`.

pub(crate) mod artifacts;
pub(crate) mod catalog;
pub(crate) mod clock;
pub(crate) mod erasing;
pub(crate) mod events;
pub(crate) mod integrity;
pub(crate) mod memories;
pub(crate) mod plans;
pub(crate) mod removal;
pub(crate) mod totals;
pub(crate) mod values;

use std::sync::Arc;

use journal::Store;

use crate::sample;

/// Storage of a store, which can be opened again.
pub(crate) trait StoreFixture: Send + Sync {
    fn open(&self) -> Arc<dyn Store>;

    /// Damages stored data without the store.
    fn corrupt(&self, session_id: protocol::SessionId, harm: Corruption);
}

/// Damage that a disk, or a person with an editor, can cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Corruption {
    /// Another letter in the body of an event.
    ChangeBody(u64),
    /// Another letter in a body in the table of blobs.
    ChangeLargeBody(u64),
    /// A missing event.
    Remove(u64),
    /// Another time of an event.
    ChangeTime(u64),
    /// Another letter in the snapshot.
    ChangeSnapshot,
}

/// A store with one session of the owner `ada`, at event 1.
pub(crate) async fn with_session(place: &dyn StoreFixture) -> (Arc<dyn Store>, protocol::SessionId) {
    let store = place.open();
    let (id, ada) = (sample::session(1), sample::owner("ada"));
    store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
    (store, id)
}

/// Runs every test of the contract against the given storage.
macro_rules! contract_suite {
    ($place:expr => $($module:ident :: $promise:ident),+ $(,)?) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $promise() {
                $crate::contract::$module::$promise(&$place).await;
            }
        )+
    };
    ($place:expr) => {
        $crate::contract::contract_suite! { $place =>
            events::what_was_appended_is_read_back,
            events::a_moved_head_refuses_the_append,
            events::numbers_with_a_gap_are_refused,
            events::a_lease_taken_over_cannot_append,
            events::a_lease_of_an_earlier_process_cannot_append,
            events::a_missing_session_cannot_be_acquired,
            events::racing_writers_of_one_session_never_interleave,
            events::sessions_do_not_see_each_other,
            events::everything_survives_reopening,
            events::large_bodies_come_back_whole,
            events::followers_see_the_same_log_from_any_number,
            events::one_refused_append_does_not_take_others_with_it,
            catalog::a_name_is_unique_per_owner,
            catalog::lists_are_the_owners_alone_and_lose_no_ties,
            catalog::lists_have_only_what_is_wanted,
            catalog::idle_sessions_of_all_owners_are_found_in_pages,
            catalog::moving_sessions_are_found_after_reopening,
            catalog::a_turn_is_found_with_all_its_events,
            catalog::a_turns_events_come_in_pages,
            catalog::turns_are_listed_by_their_beginning_from_either_end,
            catalog::the_newest_snapshot_is_kept,
            artifacts::an_artifact_comes_back_whole_after_reopening,
            artifacts::the_same_id_again_changes_nothing,
            artifacts::another_owners_artifact_is_not_found,
            artifacts::an_artifact_needs_a_session_of_its_owner,
            artifacts::lists_of_artifacts_lose_no_ties,
            artifacts::bytes_are_counted_per_session,
            artifacts::bytes_are_counted_per_owner,
            artifacts::an_artifact_is_removed_by_its_owner_alone,
            artifacts::the_oldest_are_swept_first_and_the_young_stay,
            clock::the_newest_time_of_all_sessions_is_known,
            clock::the_record_of_the_clock_survives_reopening,
            removal::nothing_is_left_of_a_removed_session,
            removal::a_removed_sessions_name_is_free,
            removal::bodies_that_others_refer_to_stay,
            removal::a_stale_lease_removes_nothing,
            removal::a_removed_session_is_gone_for_its_lease_too,
            removal::a_follower_of_a_removed_session_is_told,
            memories::what_is_remembered_survives_reopening,
            memories::a_refused_change_takes_all_with_it,
            memories::a_vault_and_a_memory_get_another_title,
            memories::a_session_has_one_memory_of_an_owner,
            memories::owners_neither_see_nor_change_each_others_records,
            memories::an_id_of_another_owner_is_known_as_taken,
            memories::lists_of_records_lose_no_ties,
            memories::lists_of_vaults_and_memories_lose_no_ties,
            memories::a_record_takes_the_place_of_the_one_with_its_id,
            memories::vectors_go_with_their_record,
            memories::write_keys_are_used_once_until_they_expire,
            memories::what_a_follower_made_of_a_session_is_written_once,
            memories::unread_sessions_are_those_with_newer_events,
            memories::bookmarks_go_with_their_session_and_memories_stay,
            plans::what_is_planned_is_found_again,
            values::a_value_comes_back_byte_for_byte_after_reopening,
            values::changes_are_made_together_or_not_at_all,
            values::owners_do_not_see_each_others_values,
            values::lists_go_by_key_and_by_age_and_lose_none,
            values::the_most_similar_come_first,
            values::expired_values_are_gone_and_swept,
            values::values_go_by_their_words,
            erasing::sessions_are_found_by_their_words,
            erasing::struck_events_keep_their_place,
            erasing::striking_needs_the_lease_and_the_events,
            erasing::the_snapshot_of_a_struck_session_is_gone,
            erasing::a_struck_body_stays_where_others_refer_to_it,
            erasing::artifacts_go_by_their_words,
            erasing::scrubbing_says_what_is_still_there,
            totals::sessions_and_their_bytes_are_counted,
            totals::a_refused_write_counts_for_nothing,
            totals::artifacts_and_their_bytes_are_counted,
            totals::what_is_remembered_is_counted,
            integrity::what_was_written_is_sound,
            integrity::every_damage_is_named_with_its_event,
            integrity::a_damaged_session_is_refused_and_the_others_go_on,
            integrity::a_damaged_snapshot_is_none,
            integrity::a_damaged_session_can_be_removed,
            integrity::sessions_are_gone_through_in_order,
            integrity::a_probe_writes_and_changes_nothing,
            erasing::an_erasure_that_was_cut_off_is_finished_once,
        }
    };
}
pub(crate) use contract_suite;
