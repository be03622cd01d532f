//! The control states of the memory agent, and which tool may follow which. A table decides, not a
//! prompt: so the agent cannot call `add_entry` in a loop, mix up roles, or leave out the flush.

pub use protocol::{AgentTool, ControlState as Control};

/// The tool that comes next; none means that the work is done.
pub const fn next(control: Control, last: Option<AgentTool>) -> Option<AgentTool> {
    use AgentTool::{AddEntry, AwaitConsistency, GetContext, ListEntries, PutContext};
    use Control::{EndSession, ProcessMessage, ProcessMessageAndFlush, StartSession};
    match (control, last) {
        (StartSession, None) => Some(GetContext),
        (StartSession, Some(GetContext)) => Some(ListEntries),
        (ProcessMessage | ProcessMessageAndFlush, None) => Some(AddEntry),
        (ProcessMessageAndFlush, Some(AddEntry)) | (EndSession, None) => Some(AwaitConsistency),
        (ProcessMessageAndFlush | EndSession, Some(AwaitConsistency)) => Some(PutContext),
        _ => None,
    }
}

/// How often a context document is written anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cadence {
    /// After this many messages.
    pub messages: usize,
    /// Or after this many tokens.
    pub tokens: u64,
}

impl Default for Cadence {
    fn default() -> Self {
        Self { messages: 6, tokens: 4_000 }
    }
}

/// Decides the control state for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Invoker {
    /// How often to flush.
    pub cadence: Cadence,
}

impl Invoker {
    /// The control state for the next message, given the number of messages before it and the
    /// tokens with it since the last flush.
    pub const fn control(&self, messages_before: usize, tokens_with_it: u64) -> Control {
        if messages_before + 1 >= self.cadence.messages || tokens_with_it >= self.cadence.tokens {
            Control::ProcessMessageAndFlush
        } else {
            Control::ProcessMessage
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(control: Control) -> Vec<AgentTool> {
        let mut tools: Vec<AgentTool> = Vec::new();
        while let Some(tool) = next(control, tools.last().copied()) {
            tools.push(tool);
            assert!(tools.len() < 10, "{control:?} never ends");
        }
        tools
    }

    #[test]
    fn every_control_state_has_its_sequence() {
        use AgentTool::{AddEntry, AwaitConsistency, GetContext, ListEntries, PutContext};
        assert_eq!(sequence(Control::StartSession), [GetContext, ListEntries]);
        assert_eq!(sequence(Control::ProcessMessage), [AddEntry]);
        assert_eq!(sequence(Control::ProcessMessageAndFlush), [AddEntry, AwaitConsistency, PutContext]);
        assert_eq!(sequence(Control::EndSession), [AwaitConsistency, PutContext]);
    }

    #[test]
    fn no_tool_follows_itself_and_none_follows_the_last() {
        use AgentTool::{AddEntry, AwaitConsistency, GetContext, ListEntries, PutContext};
        use Control::{EndSession, ProcessMessage, ProcessMessageAndFlush, StartSession};
        for control in [StartSession, ProcessMessage, ProcessMessageAndFlush, EndSession] {
            for tool in [GetContext, ListEntries, AddEntry, AwaitConsistency, PutContext] {
                assert_ne!(next(control, Some(tool)), Some(tool), "{control:?}");
            }
            assert_eq!(next(control, sequence(control).last().copied()), None);
        }
    }

    #[test]
    fn the_sixth_message_flushes_and_so_do_many_tokens() {
        let invoker = Invoker::default();
        let controls: Vec<Control> = (0..6).map(|before| invoker.control(before, 10)).collect();
        assert_eq!(controls[..5], [Control::ProcessMessage; 5]);
        assert_eq!(controls[5], Control::ProcessMessageAndFlush);
        assert_eq!(invoker.control(0, 5_000), Control::ProcessMessageAndFlush);
    }
}
