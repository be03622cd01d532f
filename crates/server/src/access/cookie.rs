//! Browser sign-in: a cookie that the page's scripts cannot read. The server stores nothing about
//! it. The cookie contains the digest of the token that it was issued for, so it ends with that
//! token. It is sealed with a key of the data folder, so it survives restarts.

use std::time::Duration;

use axum::http::{HeaderMap, header};
use protocol::Timestamp;
use rmcp::model::{RequestStateCodec, SealOptions};
use secret::SecretDigest;

use super::AccessGrant;
use crate::SealKey;

/// How long a cookie is valid.
pub(crate) const LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// The age after which a cookie is renewed.
const RENEW_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// The cookies of this server.
pub(crate) struct Cookies {
    /// Unique for this data folder: browsers send the cookies of a machine to all its ports.
    name: String,
    codec: RequestStateCodec,
}

/// The contents of a cookie that is sealed by us and has not expired.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CookieClaims {
    /// The digest of its token.
    pub(super) digest: SecretDigest,
    /// When it expires.
    pub(crate) expires_at: Timestamp,
    /// Whether the browser used TLS, and must send the cookie only over TLS.
    is_secure: bool,
}

/// The state of our cookie in a request.
#[derive(Debug)]
pub(super) enum CookieState {
    /// There is none.
    None,
    /// There is one with its name, but not with our seal.
    Forged,
    /// It has expired. The seal is ours, so it does not count as a failed attempt.
    Ended,
    /// It is valid if its token is.
    Good(CookieClaims),
}

impl Cookies {
    pub(crate) fn new(key: &SealKey) -> Self {
        let [a, b, c, d, ..] = key.derived("name of the cookie");
        Self { name: format!("dwell-{a:02x}{b:02x}{c:02x}{d:02x}"), codec: key.codec("cookie") }
    }

    /// Issues a new cookie for a grant.
    pub(crate) fn issue(&self, grant: &AccessGrant, is_secure: bool, now: Timestamp) -> (String, CookieClaims) {
        let entered = CookieClaims { digest: grant.digest(), expires_at: now.plus(LIFETIME), is_secure };
        (self.write(&entered), entered)
    }

    /// Issues a new cookie in place of an old one, if it is due for renewal.
    pub(crate) fn renew(&self, entered: &CookieClaims, now: Timestamp) -> Option<(String, CookieClaims)> {
        let is_old = entered.expires_at.since(now) <= LIFETIME.saturating_sub(RENEW_AFTER);
        let renewed = CookieClaims { expires_at: now.plus(LIFETIME), ..*entered };
        is_old.then(|| (self.write(&renewed), renewed))
    }

    /// The header value that makes a browser delete its cookie.
    pub(crate) fn clear(&self) -> String {
        format!("{}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0", self.name)
    }

    /// Reads the cookie of a request. Another server on the same machine can set one with the same
    /// name, so all are tried until one has our seal.
    pub(super) fn read(&self, headers: &HeaderMap, now: Timestamp) -> CookieState {
        let mut values = self.values(headers).peekable();
        if values.peek().is_none() {
            return CookieState::None;
        }
        let mut is_ours = false;
        for entered in values.filter_map(|value| self.open(value)) {
            is_ours = true;
            if entered.expires_at > now {
                return CookieState::Good(entered);
            }
        }
        if is_ours { CookieState::Ended } else { CookieState::Forged }
    }

    fn write(&self, entered: &CookieClaims) -> String {
        let CookieClaims { digest, expires_at, is_secure } = entered;
        let says = format!("{digest}.{}.{is_secure}", expires_at.as_millis());
        let sealed = self.codec.seal_with(says.as_bytes(), &SealOptions::new());
        let secure = if *is_secure { "; Secure" } else { "" };
        let age = LIFETIME.as_secs();
        format!("{}={sealed}; HttpOnly; SameSite=Strict; Path=/; Max-Age={age}{secure}", self.name)
    }

    fn open(&self, sealed: &str) -> Option<CookieClaims> {
        let says = String::from_utf8(self.codec.open_with(sealed, b"").ok()?).ok()?;
        let mut parts = says.split('.');
        Some(CookieClaims {
            digest: parts.next()?.parse().ok()?,
            expires_at: Timestamp::from_millis(parts.next()?.parse().ok()?),
            is_secure: parts.next()?.parse().ok()?,
        })
    }

    fn values<'h>(&'h self, headers: &'h HeaderMap) -> impl Iterator<Item = &'h str> {
        let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(|(name, _)| *name == self.name).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Tokens, *};
    use crate::Credential;

    const NOW: i64 = 1_800_000_000_000;
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    fn now() -> Timestamp {
        Timestamp::from_millis(NOW)
    }

    fn cookies(key: &str) -> Cookies {
        Cookies::new(&SealKey::new(key.into()))
    }

    fn read(cookies: &Cookies, headers: &HeaderMap, now: Timestamp) -> Option<CookieClaims> {
        match cookies.read(headers, now) {
            CookieState::Good(entered) => Some(entered),
            CookieState::None | CookieState::Forged | CookieState::Ended => None,
        }
    }

    fn grant() -> AccessGrant {
        let ada = Credential { owner: "ada".parse().unwrap(), token: "token".into() };
        Tokens::new(&[ada], None).grant("token").unwrap()
    }

    /// The headers with which a browser sends the cookie back.
    fn brought(set: &str) -> HeaderMap {
        let pair = set.split(';').next().unwrap();
        HeaderMap::from_iter([(header::COOKIE, format!("theme=dark; {pair}; x").parse().unwrap())])
    }

    #[test]
    fn a_cookie_reads_what_it_writes_until_it_ends() {
        let cookies = cookies("one");
        let (set, _) = cookies.issue(&grant(), false, now());
        let entered = read(&cookies, &brought(&set), now()).unwrap();
        assert_eq!(entered.digest.to_string(), SecretDigest::of("token").to_string());
        assert_eq!(entered.expires_at, now().plus(LIFETIME));
        let almost = now().plus(LIFETIME - Duration::from_millis(1));
        assert!(read(&cookies, &brought(&set), almost).is_some());
        let ended = cookies.read(&brought(&set), now().plus(LIFETIME));
        assert!(matches!(ended, CookieState::Ended), "{ended:?}");
        assert!(matches!(cookies.read(&HeaderMap::new(), now()), CookieState::None));
    }

    #[test]
    fn it_is_for_requests_of_the_page_alone() {
        let (plain, _) = cookies("one").issue(&grant(), false, now());
        assert!(plain.ends_with("; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000"), "{plain}");
        let (secure, _) = cookies("one").issue(&grant(), true, now());
        assert!(secure.ends_with("; Max-Age=2592000; Secure"), "{secure}");
        let name = plain.split('=').next().unwrap();
        assert!(name.len() == 14 && name.starts_with("dwell-"), "{name}");
    }

    #[test]
    fn of_another_server_cut_or_changed_it_is_worth_nothing() {
        let cookies = cookies("one");
        let (set, _) = cookies.issue(&grant(), false, now());
        assert!(read(&self::cookies("two"), &brought(&set), now()).is_none());
        let pair = set.split(';').next().unwrap();
        let value = pair.split_once('=').unwrap().1;
        let foreign = SealKey::new("one".into()).codec("mcp").seal(b"x");
        let mut wrong = vec![String::new(), "x".to_owned(), format!("{value}x"), foreign];
        wrong.extend((1..value.len()).map(|end| value[..end].to_owned()));
        wrong.extend(value.char_indices().filter(|(_, char)| *char != '.').map(|(at, char)| {
            let other = if char == 'A' { 'B' } else { 'A' };
            format!("{}{other}{}", &value[..at], &value[at + 1..])
        }));
        for value in wrong {
            let cookie = cookies.read(&brought(&format!("{}={value}", cookies.name)), now());
            assert!(matches!(cookie, CookieState::Forged), "{value}: {cookie:?}");
        }
        let shadowed = format!("{}=planted; {pair}", cookies.name);
        let headers = HeaderMap::from_iter([(header::COOKIE, shadowed.parse().unwrap())]);
        assert!(read(&cookies, &headers, now()).is_some(), "a planted cookie hides none");
    }

    #[test]
    fn a_day_later_there_is_a_new_one_and_not_before() {
        let cookies = cookies("one");
        let (_, entered) = cookies.issue(&grant(), true, now());
        assert!(cookies.renew(&entered, now()).is_none());
        assert!(cookies.renew(&entered, now().plus(DAY - Duration::from_millis(1))).is_none());
        let (set, renewed) = cookies.renew(&entered, now().plus(DAY)).unwrap();
        assert_eq!(renewed.expires_at, entered.expires_at.plus(DAY));
        assert!(set.ends_with("; Secure"), "{set}");
    }
}
