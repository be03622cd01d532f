//! The channels by which alerts reach a person who may not be connected: a webhook, ntfy, e-mail,
//! Web Push.
//!
//! [`load`] makes channels of the section `[[alerts.channels]]` of the configuration. A
//! [`Channel`] is what decides (which alerts, whose, when) around a [`Delivery`], which only sends.
//! Retries, the outbox and the journal are the engine's: a delivery is one attempt, and its error
//! says what may be done next.

mod channel;
mod declaration;
mod load;

mod quiet;

mod delivery;
mod http;
mod spoken;
mod text;

mod email;
mod ntfy;
mod web_push;
mod webhook;

pub use channel::{Channel, ChannelRules};
pub use declaration::{
    ChannelDeclaration, ChannelKind, Commons, EmailDeclaration, HomeDeclaration, NtfyDeclaration, QuietDeclaration,
    SmtpSecurity, UsedWhen, WebPushDeclaration, WebhookDeclaration,
};
pub use delivery::{ClockFn, Delivery};
pub use load::{HomeChannel, HomeFn, LoadParts, LoadedChannels, SettingError, WebPushAccess, load};
pub use quiet::QuietHours;
pub use spoken::spoken;
pub use web_push::{
    BadVapidKey, FileSubscriptions, PushSubscription, PushSubscriptions, SubscriptionError, SubscriptionList, VapidKey,
};
