//! Encrypts a message for one browser: RFC 8291, in the content coding `aes128gcm` (RFC 8188).

use aws_lc_rs::{
    aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree},
    hkdf::{HKDF_SHA256, KeyType, Prk, Salt},
    rand,
};

use super::PushSubscription;

/// The size of a record; a message is one record.
const RECORD_BYTES: u32 = 4096;
/// A message may have this many bytes: a record without its header, its delimiter and its tag.
pub(super) const PLAIN_BYTES_MAX: usize = 4096 - 86 - 1 - 16;
/// The delimiter after the text of the last record.
const LAST_RECORD: u8 = 2;

/// The encrypted message with its header; `None` if the browser's keys are not valid.
pub(super) fn encrypt(subscription: &PushSubscription, text: &[u8]) -> Option<Vec<u8>> {
    let mut salt = [0; 16];
    rand::fill(&mut salt).ok()?;
    encrypt_with(subscription, text, &PrivateKey::generate(&ECDH_P256).ok()?, salt)
}

/// The same with a given key, which is used only once, and a given salt.
fn encrypt_with(subscription: &PushSubscription, text: &[u8], key: &PrivateKey, salt: [u8; 16]) -> Option<Vec<u8>> {
    if text.len() > PLAIN_BYTES_MAX {
        return None;
    }
    let own = key.compute_public_key().ok()?;
    let (own, theirs) = (own.as_ref(), subscription.public_key()?);
    let auth = Salt::new(HKDF_SHA256, &subscription.auth_secret()?);
    let shared = UnparsedPublicKey::new(&ECDH_P256, theirs.as_slice());
    let combined = agree(key, shared, (), |shared| Ok(auth.extract(shared))).ok()?;
    let input: [u8; 32] = expand(&combined, &[b"WebPush: info\0", &theirs, own])?;
    let derived = Salt::new(HKDF_SHA256, &salt).extract(&input);
    let content_key: [u8; 16] = expand(&derived, &[b"Content-Encoding: aes128gcm\0"])?;
    let nonce: [u8; 12] = expand(&derived, &[b"Content-Encoding: nonce\0"])?;
    let mut sealed = text.to_vec();
    sealed.push(LAST_RECORD);
    LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &content_key).ok()?)
        .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut sealed)
        .ok()?;
    let mut message = salt.to_vec();
    message.extend(RECORD_BYTES.to_be_bytes());
    message.push(u8::try_from(own.len()).ok()?);
    message.extend(own);
    message.extend(sealed);
    Some(message)
}

/// How many bytes HKDF gives.
struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn expand<const N: usize>(key: &Prk, info: &[&[u8]]) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    key.expand(info, Length(N)).ok()?.fill(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).unwrap()
    }

    /// The example of RFC 8291, appendix A.
    #[test]
    fn the_example_of_the_standard_is_encrypted_byte_for_byte() {
        let subscription = PushSubscription {
            endpoint: "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV".to_owned(),
            p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
                .to_owned(),
            auth: "BTBZMqHH6r4Tts7J_aSIgg".to_owned(),
            ..PushSubscription::default()
        };
        let key = bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw");
        let key = PrivateKey::from_private_key(&ECDH_P256, &key).unwrap();
        let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap();
        let message = encrypt_with(&subscription, b"When I grow up, I want to be a watermelon", &key, salt).unwrap();
        let expected = [
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml",
            "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT",
            "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
        ];
        assert_eq!(URL_SAFE_NO_PAD.encode(message), expected.concat());
    }

    #[test]
    fn no_two_messages_are_alike_and_the_longest_fits_into_4096_bytes() {
        let subscription = PushSubscription {
            p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
                .to_owned(),
            auth: "BTBZMqHH6r4Tts7J_aSIgg".to_owned(),
            ..PushSubscription::default()
        };
        let text = vec![b'x'; PLAIN_BYTES_MAX];
        let one = encrypt(&subscription, &text).unwrap();
        assert_eq!(one.len(), 4096);
        assert_ne!(one, encrypt(&subscription, &text).unwrap());
        assert!(encrypt(&subscription, &[b'x'; PLAIN_BYTES_MAX + 1]).is_none());
        for (p256dh, auth) in [("AAAA", "BTBZMqHH6r4Tts7J_aSIgg"), (subscription.p256dh.as_str(), "AAAA")] {
            let bad =
                PushSubscription { p256dh: p256dh.to_owned(), auth: auth.to_owned(), ..PushSubscription::default() };
            assert!(encrypt(&bad, b"x").is_none());
        }
    }
}
