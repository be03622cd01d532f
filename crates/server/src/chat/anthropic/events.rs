//! The events of a streamed message: every block of content is opened, filled and closed, one after
//! the other.

use protocol::StopReason;
use serde_json::{Value, json};

use super::super::calls::{self, OutgoingCall};

/// The block that is being filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenBlock {
    Text,
    Thinking,
}

/// Writes the blocks of a message as events.
#[derive(Debug, Default)]
pub(super) struct BlockWriter {
    /// The index of the open block, or of the next one.
    index: usize,
    open: Option<OpenBlock>,
}

impl BlockWriter {
    /// More text.
    pub(super) fn text(&mut self, text: &str) -> Vec<Value> {
        self.fill(OpenBlock::Text, json!({ "type": "text_delta", "text": text }))
    }

    /// More reasoning.
    pub(super) fn thought(&mut self, thought: &str) -> Vec<Value> {
        self.fill(OpenBlock::Thinking, json!({ "type": "thinking_delta", "thinking": thought }))
    }

    /// A call, whole.
    pub(super) fn call(&mut self, call: &OutgoingCall) -> Vec<Value> {
        let mut events = self.close();
        let mut block = tool_use(call);
        let input = std::mem::replace(&mut block["input"], json!({})).to_string();
        events.push(json!({ "type": "content_block_start", "index": self.index, "content_block": block }));
        events.push(self.delta(json!({ "type": "input_json_delta", "partial_json": input })));
        events.push(self.stop());
        events
    }

    /// Closes the open block.
    pub(super) fn close(&mut self) -> Vec<Value> {
        match self.open.take() {
            None => Vec::new(),
            Some(OpenBlock::Text) => vec![self.stop()],
            // Clients expect a signature at the end of reasoning. Dwell checks none.
            Some(OpenBlock::Thinking) => {
                vec![self.delta(json!({ "type": "signature_delta", "signature": "" })), self.stop()]
            }
        }
    }

    fn fill(&mut self, kind: OpenBlock, delta: Value) -> Vec<Value> {
        let mut events = Vec::new();
        if self.open != Some(kind) {
            events = self.close();
            let block = match kind {
                OpenBlock::Text => text(""),
                OpenBlock::Thinking => thinking(""),
            };
            events.push(json!({ "type": "content_block_start", "index": self.index, "content_block": block }));
            self.open = Some(kind);
        }
        events.push(self.delta(delta));
        events
    }

    fn delta(&self, delta: Value) -> Value {
        json!({ "type": "content_block_delta", "index": self.index, "delta": delta })
    }

    fn stop(&mut self) -> Value {
        let event = json!({ "type": "content_block_stop", "index": self.index });
        self.index += 1;
        event
    }
}

/// A block of text.
pub(super) fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// A block of reasoning.
pub(super) fn thinking(thinking: &str) -> Value {
    json!({ "type": "thinking", "thinking": thinking, "signature": "" })
}

/// A block with a call.
pub(super) fn tool_use(call: &OutgoingCall) -> Value {
    let id = calls::in_form_of("anthropic", call.name.clone());
    json!({ "type": "tool_use", "id": id, "name": call.tool, "input": call.arguments_as_object() })
}

/// Why an answer ended, in Anthropic's terms. Whether a stop sequence ended it is not known:
/// providers seldom say so.
pub(super) const fn stop_reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Length | StopReason::Budget => "max_tokens",
        StopReason::ContentFilter | StopReason::Refusal => "refusal",
        StopReason::Complete | StopReason::Empty => "end_turn",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_follow_each_other_with_their_own_index() {
        let mut blocks = BlockWriter::default();
        let call = OutgoingCall {
            name: "call_01HF7YAT00TESTTVRNAAAAAAAA_0".to_owned(),
            tool: "weather".to_owned(),
            arguments: json!({ "city": "Oslo" }),
        };
        let events: Vec<Value> =
            [blocks.thought("hm"), blocks.text("Let me"), blocks.text(" see."), blocks.call(&call), blocks.close()]
                .concat();
        let shape: Vec<(u64, &str)> = events
            .iter()
            .map(|event| {
                let kind = event["delta"]["type"].as_str().or(event["type"].as_str()).unwrap();
                (event["index"].as_u64().unwrap(), kind)
            })
            .collect();
        let expected = [
            (0, "content_block_start"),
            (0, "thinking_delta"),
            (0, "signature_delta"),
            (0, "content_block_stop"),
            (1, "content_block_start"),
            (1, "text_delta"),
            (1, "text_delta"),
            (1, "content_block_stop"),
            (2, "content_block_start"),
            (2, "input_json_delta"),
            (2, "content_block_stop"),
        ];
        assert_eq!(shape, expected);
        assert_eq!(events[8]["content_block"]["id"], "toolu_01HF7YAT00TESTTVRNAAAAAAAA_0");
        assert_eq!(events[8]["content_block"]["input"], json!({}), "the arguments come as deltas");
        assert_eq!(events[9]["delta"]["partial_json"], "{\"city\":\"Oslo\"}");
    }
}
