//! Wyoming: JSON lines followed by payloads, over plain TCP.

use crate::server::SERVED;

pub(super) fn seeds() -> Vec<Vec<u8>> {
    [
        &b"{\"type\":\"describe\"}\n"[..],
        b"{\"type\":\"ping\",\"data\":{\"text\":\"x\"}}\n",
        b"{\"type\":\"transcript\",\"data\":{\"text\":\"what is 2 plus 3\"}}\n",
        b"{\"type\":\"transcript\",\"data_length\":24}\n{\"text\":\"what is 2 + 3\"}   ",
        b"{\"type\":\"audio-chunk\",\"data\":{\"rate\":16000,\"width\":2,\"channels\":1},\"payload_length\":4}\n\0\0\0\0",
        b"{\"type\":\"run-pipeline\",\"data\":{\"start_stage\":\"asr\",\"end_stage\":\"tts\"}}\n",
        b"{\"type\":\"recognize\",\"data\":{\"text\":\"hello\"}}\n",
    ]
    .map(<[u8]>::to_vec)
    .to_vec()
}

pub(super) fn take(input: &[u8]) {
    SERVED.exchange(SERVED.wyoming, input, true);
    SERVED.assert_alive();
}
