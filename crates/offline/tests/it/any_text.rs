//! The offline model answers any text: it never panics, it ends once, and the same prompt gives the
//! same answer.

use model::{Message, Prompt};

use crate::offline::{NOW, asked, hear, known, said, user};

/// Pieces that mean something to one rule or another, and pieces that break words and characters,
/// with bars between.
const PIECES: &str = "\
    what|is|time|it|in|Tokyo|remember|that|pin|:|note|forget|the|about|save|this|as|a.txt|read|list|my|files|\
    use|lookup|with|key=|{|}|\"|(|)|+|-|*|/|%|of|^|3|4.5|1,000|two|hundred|square root of|days|until|since|24|\
    December|2026-12-24|29 February|next|Friday|and|?|.|!|…|\n|\t|'|’s|don't|I'm|summarise|our|conversation|\
    hello|thanks|please|é|e\u{301}|ß|İ|ǅ|東京|は|Привет|какое|время|مرحبا|؟|🦀|👩‍👩‍👧|\u{200b}|\u{feff}|\0|½|٣|Ⅷ|x|\
    how|many|between|km|miles|0|9999999999999999999999|-|=|==|ago|in 3 weeks|’|`";

/// A small generator without a dependency: the same pieces every time.
struct SeededRandom(u64);

impl SeededRandom {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % sides
    }

    fn text(&mut self) -> String {
        let pieces: Vec<&str> = PIECES.split('|').collect();
        let mut text = String::new();
        for _ in 0..self.roll(14) {
            match self.roll(12) {
                0 => text.extend(char::from_u32(u32::try_from(self.roll(0x11_0000)).unwrap())),
                _ => text.push_str(pieces[self.roll(pieces.len())]),
            }
            if self.roll(5) > 0 {
                text.push(' ');
            }
        }
        text
    }

    fn prompt(&mut self) -> Prompt {
        let mut prompt = asked(&self.text());
        for _ in 0..self.roll(4) {
            let level = ["pin", "profile", "fact", "entry", "context", "other"][self.roll(6)];
            prompt.known.push(known(level, &self.text(), NOW));
        }
        for _ in 0..self.roll(3) {
            let earlier = [user(&self.text()), said(&self.text())];
            prompt.messages.splice(0..0, earlier);
        }
        if self.roll(6) == 0 {
            prompt.tools.clear();
        }
        if self.roll(6) == 0 {
            prompt.output_tokens_max = Some(u64::try_from(self.roll(30)).unwrap());
        }
        prompt
    }
}

#[tokio::test]
async fn any_text_gets_an_answer_that_ends_once() {
    let mut dice = SeededRandom(0x9e37_79b9_7f4a_7c15);
    for _ in 0..600 {
        let mut prompt = dice.prompt();
        let heard = hear(&prompt).await;
        assert_eq!(heard, hear(&prompt).await, "{prompt:?}");
        let is_cut = prompt.output_tokens_max.is_some();
        assert!(is_cut || !heard.text.is_empty() || !heard.calls.is_empty(), "{prompt:?}");
        if heard.calls.is_empty() {
            continue;
        }
        prompt.messages.push(Message::Assistant { text: heard.text, calls: heard.calls.clone() });
        for call in heard.calls {
            assert!(prompt.tools.iter().any(|tool| tool.name == call.tool), "{call:?}");
            prompt.messages.push(Message::Result { call_id: call.id, tool: call.tool, text: dice.text() });
        }
        let heard = hear(&prompt).await;
        assert!(heard.calls.is_empty(), "results lead to an answer: {prompt:?}");
        assert!(is_cut || !heard.text.is_empty(), "{prompt:?}");
    }
}

#[tokio::test]
async fn odd_conversations_get_an_answer() {
    for messages in [vec![], vec![said("Hello.")], vec![user(""), said("")], vec![user("a"), user("b")]] {
        let prompt = Prompt { messages, ..asked("") };
        assert!(hear(&prompt).await.text.contains("needs a language model"));
    }
    let lost = Message::Result { call_id: "x".to_owned(), tool: "y".to_owned(), text: "z".to_owned() };
    let prompt = Prompt { messages: vec![lost], ..asked("") };
    assert_eq!(hear(&prompt).await.text, "`y` answered: z");
}
