//! Who stores the choice of providers and models, and puts it into effect.

use async_trait::async_trait;
use protocol::{DefaultModelPut, OverriddenSetting, Problem, ProviderName, ProviderPut, ProviderTried, ProviderTry};

/// The operator's choice of providers and models. A change holds from the next turn on, and after
/// a restart; what is returned are the settings that take precedence over it.
#[async_trait]
pub trait ModelSetup: Send + Sync + 'static {
    /// Asks a provider for its models, and one of them for a word. Stores nothing.
    async fn try_out(&self, asked: ProviderTry) -> Result<ProviderTried, Problem>;

    /// Stores a provider.
    async fn put(&self, provider: ProviderName, put: ProviderPut) -> Result<Vec<OverriddenSetting>, Problem>;

    /// Forgets a stored provider and its key.
    async fn remove(&self, provider: ProviderName) -> Result<Vec<OverriddenSetting>, Problem>;

    /// Stores which models answer wherever none is named.
    async fn put_default(&self, put: DefaultModelPut) -> Result<Vec<OverriddenSetting>, Problem>;
}
